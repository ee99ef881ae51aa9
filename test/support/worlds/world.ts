import fc from "fast-check";
import { isObject } from "../../../src/core/text/json.ts";
import { roleFlags } from "../../../src/sandbox/analysis/state.ts";
import { World } from "../../../src/sandbox/world.ts";
import type { ServiceExample } from "../../clients/example.ts";
import { examples } from "../../clients/services.ts";
import { optional, type Part, some } from "./parts.ts";

/*
 * Few names, so that manifests and worlds meet, with the characters that are special in lists, paths and queries.
 */
export const projects = ["core", 'tools/ü, "a+b"'];
export const reviewGroups = ["global:Registered-Users", "Managers", "QA, ü;\\"];
export const refs = ["refs/heads/*", "refs/heads/r1", "^refs/heads/r1$", "refs/for/refs/heads/r1", "refs/tags/*"];
export const permissions = ["push", "submit", "read", "label-Code-Review"];
export const branches = ["r1", "r2", "^r.*$"];
export const users = ["admin", "u,1", "u\\2", "ü;'\"/&="];
export const groups = ["g,1", "u,1"];
export const roles = ["r;1", "r:2", "+r"];
export const pages = ["101", "102", "103", "999"];
export const bodies = ["<p>a</p>", "<p>b &amp; <b>ü</b></p>", "<h1>c</h1><ul><li>d</li></ul>"];

/** The parts that the services bring. */
export const parts: readonly Part[] = Object.values<ServiceExample>(examples).flatMap(({ parts: own = [] }) => own);

const ruleOf = (permission: string) =>
  fc
    .record({
      action: fc.constantFrom("ALLOW" as const, "DENY" as const, "BLOCK" as const),
      force: fc.boolean(),
      range: permission.startsWith("label-") ? fc.constant({ min: -1, max: 1 }) : fc.constant({}),
    })
    .map(({ range, ...rule }) => ({ ...rule, ...range }));

export const rulesOf = (permission: string) =>
  fc
    .tuple(fc.subarray(reviewGroups, { minLength: 1 }), fc.array(ruleOf(permission), { minLength: 3, maxLength: 3 }))
    .map(([named, rules]) => named.map((group, index) => ({ ...rules[index], group })));

/** Generates a record for some of the names. */
function dictionary<Value>(
  names: readonly string[],
  valueFor: (name: string) => fc.Arbitrary<Value>,
): fc.Arbitrary<Readonly<Record<string, Value>>> {
  return fc
    .tuple(...names.map((name) => optional(valueFor(name).map((value) => [name, value] as const))))
    .map((entries) => Object.fromEntries(entries.filter((entry) => entry !== undefined)));
}

const access = dictionary(refs, () =>
  dictionary(permissions, (permission) => fc.record({ exclusive: fc.boolean(), rules: rulesOf(permission) })).filter(
    (section) => Object.keys(section).length > 0,
  ),
);

const analysis = fc
  .record({
    users: some(users.slice(1)),
    groups: dictionary(groups, () => some(users)),
    roles: dictionary(roles, () =>
      fc.record({ permissions: some(roleFlags), allowed_status_transitions: fc.constantFrom("", "A,B", "A,B;B,C") }),
    ),
    assignments: fc.uniqueArray(
      fc.record({
        role: fc.constantFrom(...roles),
        project: optional(fc.constantFrom("7", "8")),
        account: fc.constantFrom(...users, ...groups),
        group: fc.boolean(),
      }),
      { maxLength: 6, selector: (assignment) => JSON.stringify(Object.values(assignment)) },
    ),
  })
  .map((stored) => {
    const live = ["admin", ...stored.users];
    return {
      users: live.map((name) => ({ name })),
      groups: Object.entries(stored.groups).map(([name, members]) => ({
        name,
        users: members.filter((member) => live.includes(member)),
      })),
      roles: Object.entries(stored.roles).map(([name, role]) => ({ name, ...role })),
      assignments: stored.assignments.filter(
        ({ role, account, group }) =>
          role in stored.roles && (group ? account in stored.groups : live.includes(account)),
      ),
    };
  });

/** Open and merged changes, on branches that locks name and on another branch. */
const changes = some(
  [
    { project: projects[0], branch: "r1" },
    { project: projects[0], branch: "r2" },
    { project: projects[0], branch: "r2", status: "MERGED" },
    { project: projects[1], branch: "r2" },
    { project: projects[1], branch: "main" },
  ].map((change, index) => ({
    ...change,
    number: index + 1,
    changeId: `I${String(index).repeat(40)}`,
    subject: "A change",
    owner: "admin",
    created: "2026-10-01T08:00:00Z",
    updated: "2026-10-01T08:00:00Z",
    revisions: [{ created: "2026-10-01T08:00:00Z" }],
  })),
);

const few = fc.record({ access: fc.tuple(access, access), changes, analysis, bodies: some(bodies) }).map((stored) => {
  const pageOf = (id: string, index: number) => ({
    space: "ENG",
    title: `Title ${id}`,
    body: stored.bodies[index] ?? "<p>live</p>",
    ancestors: index === 0 ? [] : ["101"],
    versions: [{ number: 1, by: "admin" }],
  });
  return {
    accounts: [{ username: "admin", name: "Admin", secret: "secret", rights: "admin" }],
    review: {
      groups: reviewGroups.map((name) => ({ uuid: name, name })),
      projects: Object.fromEntries(
        projects.map((name, index) => [name, { branches: ["main", "r1", "r2"], access: stored.access[index] }]),
      ),
      changes: stored.changes,
    },
    analysis: stored.analysis,
    wiki: { pages: Object.fromEntries(pages.slice(0, 3).map((id, index) => [id, pageOf(id, index)])) },
  };
});

/** Worlds with something of every part. */
export const world: fc.Arbitrary<World> = fc
  .tuple(few, ...parts.map((part) => part.world))
  .map((pieces) => World.parse(pieces.reduce<Readonly<Record<string, unknown>>>(merged, {})));

function merged(
  one: Readonly<Record<string, unknown>>,
  other: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const both = Object.entries(other).map(([name, value]) => {
    const before = one[name];
    if (Array.isArray(before) && Array.isArray(value)) return [name, [...before, ...value]] as const;
    return [name, isObject(before) && isObject(value) ? merged(before, value) : value] as const;
  });
  return { ...one, ...Object.fromEntries(both) };
}
