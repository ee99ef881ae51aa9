import { expect, test } from "vitest";
import { defaultWorld } from "../../src/sandbox/default-world.ts";
import { World } from "../../src/sandbox/world.ts";
import { openDirectLab } from "../support/lab.ts";

const many = <Value>(count: number, value: (index: number) => Value) =>
  Array.from({ length: count }, (_none, index) => value(index));

const rule = { exclusive: false, rules: [{ group: "global:Registered-Users", action: "ALLOW", force: false }] };

/** 200 rules in 100 projects of the review service, and 300 objects of the analysis server. */
function largeWorld(): World {
  const world = defaultWorld();
  const projects = many(100, (index) => [
    `team/project-${index}`,
    { access: Object.fromEntries(many(2, (ref) => [`refs/heads/r${ref}`, { push: rule }])) },
  ]);
  return World.parse({
    ...world,
    review: {
      groups: [{ uuid: "global:Registered-Users", name: "global:Registered-Users" }],
      projects: Object.fromEntries(projects),
    },
    analysis: {
      users: many(120, (index) => ({ name: `user-${index}` })),
      groups: many(60, (index) => ({ name: `group-${index}`, users: [`user-${index}`] })),
      roles: many(60, (index) => ({ name: `role-${index}` })),
      assignments: many(60, (index) => ({ role: `role-${index}`, account: `group-${index}`, group: true })),
    },
  });
}

test("importing and planning 500 objects takes as few requests as there are lists, and the plan is empty", async () => {
  await using lab = await openDirectLab({ world: largeWorld() });
  const manifests = await lab.imported();
  const own = ["listProjects", "listAccess", "users", "groups", "roles", "roleAssignments"];
  const reads = () => lab.asked().filter((name) => own.includes(name));
  // One listAccess per 25 projects.
  expect(reads().sort()).toEqual([
    "groups",
    ...Array(4).fill("listAccess"),
    "listProjects",
    "roleAssignments",
    "roles",
    "users",
  ]);
  const { changes, unknown, inSync } = await lab.plan(manifests);
  expect([changes, unknown]).toEqual([[], []]);
  const imported = inSync.filter((address) => /^(review|analysis)\//.test(address));
  expect(imported).toHaveLength(500);
  expect(reads().sort()).toEqual(["groups", ...Array(4).fill("listAccess"), "roleAssignments", "roles", "users"]);
});
