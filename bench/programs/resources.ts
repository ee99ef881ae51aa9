import { hostingOperations } from "../../src/clients/hosting/operations.ts";
import { formatAddress, type Resource } from "../../src/core/resource.ts";
import type { makePlan } from "../../src/planner/make-plan.ts";
import { kinds } from "../../src/reconcilers/registry.ts";

/** As many resources as are asked for, as manifests would declare them: the workflow permissions of a repository each. */
export function workflowPermissions(count: number): readonly Resource[] {
  const kind = kinds.get("ActionsPermission");
  if (kind === undefined) throw new Error("There is no ActionsPermission.");
  return Array.from({ length: count }, (_, index) => {
    const spec = { org: "acme", repo: `repository-${index}`, enabled: true, allowedActions: "selected" };
    const key = kind.key(spec);
    return {
      address: formatAddress("hosting", kind.kind, key),
      service: "hosting",
      role: "hosting",
      kind: kind.kind,
      key,
      scope: kind.scope(spec),
      spec,
      metadata: { labels: {}, protect: false, ignore: [], state: "present" },
      place: { file: `manifests/${index % 100}.yaml`, line: index + 1, column: 1 },
    };
  });
}

/** What a plan of them takes besides what was decided. */
export const planSettings = {
  offeredBy: () => ({ table: hostingOperations, wire: "product" }),
  services: [],
  about: { command: "plan", at: new Date().toISOString(), workspace: "bench" },
  baseRef: undefined,
  unlisted: [],
  unmanaged: undefined,
  guards: { maxDeletePercent: 30, noDeletes: false },
} satisfies Partial<Parameters<typeof makePlan>[0]>;
