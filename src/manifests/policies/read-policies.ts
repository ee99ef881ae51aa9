import type { Problem } from "../../core/problem.ts";
import type { PlacedPolicy, WorkspaceParts } from "../workspace/read-workspace.ts";
import { collect } from "../yaml/source-text.ts";
import type { PolicyCheck, PolicySources } from "./policies.ts";

export interface PolicyRule {
  readonly policy: PlacedPolicy;
  readonly check: PolicyCheck;
}

/**
 * Returns the usable policies of a workspace, and what is wrong with the others. They are read one after another, because they
 * share one budget. JSON Schema is loaded only if there are any. If `policies` is false, none is read.
 */
export async function readPolicies(
  { policies: asked = true, ...sources }: PolicySources & { readonly policies?: boolean },
  { policies }: Pick<WorkspaceParts, "policies">,
): Promise<{ readonly rules: readonly PolicyRule[]; readonly problems: readonly Problem[] }> {
  if (!asked || policies.length === 0) return { rules: [], problems: [] };
  const { readPolicy } = await import("./policies.ts");
  const [rules, problems]: [PolicyRule[], Problem[]] = [[], []];
  for (const policy of policies) {
    if (sources.budget.isSpent()) break;
    const { result: check, problems: faults } = await collect((report) => readPolicy(policy, sources, report));
    if (check !== undefined) rules.push({ policy, check });
    problems.push(...faults);
  }
  return { rules, problems };
}
