import fc from "fast-check";
import { expect, test } from "vitest";
import { allServices } from "../../src/clients/find-service.ts";
import { rolesOf } from "../../src/core/kind.ts";
import type { Selection } from "../../src/planner/selection.ts";
import { kinds } from "../../src/reconcilers/registry.ts";
import { situation, written } from "../support/generate.ts";
import { type Lab, openDirectLab } from "../support/lab.ts";
import { document } from "../support/manifest.ts";
import { roles } from "../support/roles.ts";
import { lawRuns } from "../support/worlds/parts.ts";

/** Documents that are repeated over a list from their own service. */
const repeated = [
  ["ActionsPermission", "listUserRepositories", { org: "o", repo: "${each.name}", enabled: true }],
  ["AnalysisModule", "listProjects", { project: "${each.name}", name: "chosen", paths: ["a"] }],
  [
    "AccessRule",
    "listProjects",
    { project: "${each.name}", ref: "refs/chosen/*", permission: "read", rules: [{ group: "Administrators" }] },
  ],
  ["ItemProperties", "listRepositories", { repo: "${each.key}", path: "chosen", properties: { a: ["b"] } }],
]
  .map(([kind, operation, spec]) => `---\n${JSON.stringify({ kind, forEach: { from: { operation } }, spec })}\n`)
  .join("");

const workspace = `exclusive: [${["AnalysisUser", "AnalysisRole", "AccessToken", "Plugin"].map((kind) => `{ kind: ${kind}, except: ["*"] }`).join(", ")}]\n`;

/** Returns the operations that were sent, sorted, except those that prove that a service exists. */
function reads(lab: Lab): readonly string[] {
  const proofs = new Set(allServices.map(({ proof }) => proof.product));
  return lab
    .asked()
    .filter((name) => !proofs.has(name))
    .toSorted();
}

test("the repeated documents are valid, and read from several services", async () => {
  await using lab = await openDirectLab({ workspace });
  expect((await lab.plan(repeated)).unknown).not.toEqual([]);
  expect(new Set(lab.sandbox.requests().map(({ service }) => service)).size).toBeGreaterThan(3);
});

test("a run narrowed to a service, a kind or an address sends requests to no other service", async () => {
  const narrowings: fc.Arbitrary<{ readonly asked: readonly string[]; readonly select: Partial<Selection> }> = fc.oneof(
    fc.constantFrom(...roles).map((role) => ({ asked: [role], select: { service: [role] } })),
    fc.constantFrom(...kinds.values()).map((kind) => ({ asked: rolesOf(kind), select: { kind: [kind.kind] } })),
    fc
      .constantFrom(...kinds.values())
      .map(({ kind, role }) => ({ asked: [role], select: { only: [`${role}/${kind}/*`] } })),
  );
  const runs = fc.record({ situation, narrowing: narrowings, unmanaged: fc.boolean(), adopts: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(runs, async ({ situation: { world, now, base }, narrowing, unmanaged, adopts }) => {
      await using lab = await openDirectLab({ world, workspace });
      const manifests = { now: written(now) + repeated, base: written(base), unmanaged, select: narrowing.select };
      // A selection that matches nothing is an error, and sends no requests either.
      if (adopts) await lab.adopt(manifests).catch(() => {});
      else await lab.tryPlan(manifests);
      const asked = new Set(lab.sandbox.requests().map(({ service = "" }) => service));
      expect([...asked].filter((role) => !narrowing.asked.includes(role))).toEqual([]);
    }),
    { numRuns: lawRuns },
  );
});

test("a run narrowed to a kind reads no more than if there were only documents of that kind", async () => {
  const one = situation.chain((all) => {
    const stated = [...new Set(all.now.map(({ kind }) => kind))];
    return fc.record({
      all: fc.constant(all),
      kind: fc.constantFrom(...(stated.length === 0 ? ["WikiPage"] : stated)),
    });
  });
  await fc.assert(
    fc.asyncProperty(one, async ({ all, kind }) => {
      await using lab = await openDirectLab({ world: all.world });
      const select: Partial<Selection> = { kind: [kind] };
      await lab.tryPlan({ now: written(all.now), select });
      const narrowed = reads(lab);
      await lab.tryPlan(written(all.now.filter((declared) => declared.kind === kind)));
      const alone = reads(lab);
      for (const name of new Set(narrowed))
        expect(narrowed.filter((other) => other === name).length).toBeLessThanOrEqual(
          alone.filter((other) => other === name).length,
        );
    }),
    { numRuns: lawRuns },
  );
});

test("only the names of unmanaged objects are read if names are enough", async () => {
  await using lab = await openDirectLab();
  const now = document("ActionsPermission", { org: "northwind", repo: "web-shop", enabled: true });
  const { unmanaged } = await lab.plan({ now, unmanaged: true, select: { service: ["hosting"] } });
  expect(unmanaged?.length).toBeGreaterThan(0);
  expect(lab.asked().toSorted()).toEqual(["getActionsPermissions", "listUserRepositories"]);
});

test("a label selects resources by their labels in manifests; a resource must match all given labels", async () => {
  await using lab = await openDirectLab();
  const user = (name: string, labels: Readonly<Record<string, string>>) =>
    document("AnalysisUser", { name }, { labels });
  const now =
    user("a", { team: "core", tier: "1" }) + user("b", { team: "core" }) + user("c", { team: "=x" }) + user("d", {});
  const chosen = async (...label: readonly string[]) =>
    (await lab.plan({ now, unmanaged: true, select: { label } })).changes.map(({ key }) => key);
  expect(await chosen("team=core")).toEqual(["a", "b"]);
  expect(await chosen("team=core", "tier")).toEqual(["a"]);
  expect(await chosen("team==x")).toEqual(["c"]);
  const nothing = await lab.tryPlan({ now, select: { label: ["team=cor"] } });
  expect(nothing).toMatchObject({ problems: [{ code: "SP1018", hint: "Did you mean team=core?" }] });
});
