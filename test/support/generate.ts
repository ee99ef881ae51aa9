import fc from "fast-check";
import { kinds } from "../../src/reconcilers/registry.ts";
import type { World } from "../../src/sandbox/world.ts";
import { document } from "./manifest.ts";
import { analysisProjects } from "./worlds/analysis-projects.ts";
import { type Declared, declarations, product, some } from "./worlds/parts.ts";
import {
  bodies,
  branches,
  groups,
  pages,
  parts,
  permissions,
  projects,
  refs,
  reviewGroups,
  roles,
  rulesOf,
  users,
  world,
} from "./worlds/world.ts";

/** A world, and what manifests say about it now and at the base. All references in `now` can be resolved. */
export interface Situation {
  readonly world: World;
  readonly now: readonly Declared[];
  readonly base: readonly Declared[];
}

const locks = declarations("BranchLock", product(["project", projects], ["branch", branches]), ({ branch }) =>
  fc.record(
    {
      permissions: fc.subarray(["submit", "push"], { minLength: 1 }),
      reviewUploads: fc.boolean(),
      groups: fc.subarray(reviewGroups, { minLength: 1 }),
      exclusive: fc.boolean(),
      force: fc.boolean(),
      ...(String(branch).startsWith("^") ? {} : { moveOpenChangesTo: fc.constant("main") }),
    },
    { requiredKeys: [] },
  ),
);

const rules = declarations(
  "AccessRule",
  product(["project", projects], ["ref", refs.slice(0, 3)], ["permission", permissions]),
  ({ ref, permission }) =>
    fc.record(
      // If a lock can come or go, a rule that decides the flag in the same apply takes two applies.
      { rules: rulesOf(String(permission)), ...(ref === "refs/heads/*" ? { exclusive: fc.boolean() } : {}) },
      { requiredKeys: ["rules"] },
    ),
  ["exclusive"],
);

const analysisRoles = declarations(
  "AnalysisRole",
  product(["name", roles]),
  () =>
    fc.record(
      {
        createProject: fc.boolean(),
        deleteBuild: fc.boolean(),
        webapiAccess: fc.boolean(),
        allowedStatusTransitions: some([
          { from: "A", to: "B" },
          { from: "B", to: "C" },
        ]),
      },
      { requiredKeys: [] },
    ),
  ["deleteBuild", "allowedStatusTransitions"],
);

const everyKind = [
  locks,
  rules,
  analysisRoles,
  declarations("AnalysisUser", product(["name", users.slice(1)]), () => fc.constant({})),
  declarations(
    "AnalysisGroup",
    product(["name", groups]),
    () => fc.record({ users: some(users), exclusive: fc.boolean() }, { requiredKeys: [] }),
    ["users"],
  ),
  declarations(
    "AnalysisRoleAssignment",
    [
      ...product(["role", roles.slice(0, 2)], ["account", users.slice(0, 2)], ["project", analysisProjects]),
      ...product(["role", roles], ["account", groups], ["group", [true]]),
    ],
    () => fc.constant({}),
  ),
  declarations(
    "WikiPage",
    product(["id", pages]),
    ({ id }) =>
      fc.record(
        {
          title: fc.constantFrom(`Title ${id}`, `Ü & "${id}", <b>`),
          space: fc.constantFrom("ENG", "ENG", "ENG", "OPS"),
          body: fc.constantFrom(...bodies.map((storage) => ({ storage })), { markdown: "# ü\n\n- a\n- `b`" }),
        },
        { requiredKeys: [] },
      ),
    ["title", "body"],
  ),
  ...parts.map((part) => part.declared),
];

/** Worlds with manifests of all kinds at once. */
export const fullSituation = situationOf(everyKind);

/** The same with about half of the kinds at a time: enough for most laws, in half the time. */
export const situation = situationOf(everyKind.map((kind) => fc.option(kind, { nil: [], freq: 2 })));

/** Generates situations of the given kinds, in which users who are in a group are not deleted. */
function situationOf(kinds: readonly fc.Arbitrary<readonly Declared[]>[]): fc.Arbitrary<Situation> {
  const everything = fc.tuple(...kinds).map((all) => all.flat());
  return fc.record({ world, now: everything, base: everything }).map((generated) => {
    const members = generated.world.analysis.groups.flatMap((group) => group.users);
    const stays = ({ kind, spec }: Declared) => kind !== "AnalysisUser" || !members.some((name) => name === spec.name);
    const base = generated.base.filter(stays);
    const now = resolvable({
      world: generated.world,
      now: generated.now.filter((one) => one.metadata.state === "present" || stays(one)),
      base,
    });
    return { world: generated.world, now, base: withoutMoved(withoutClaimed(base), now) };
  });
}

/** Situations with only locks and rules, in which no rule is a block that a lock would treat as its own. */
export const locking: fc.Arbitrary<Situation & { readonly locks: readonly Declared[] }> = fc
  .record({ world, locks, now: rules.map((all) => all.map((rule) => ({ ...rule, metadata: {} }))) })
  .map(({ world: before, ...declared }) => {
    const presentLocks = declared.locks.map((lock) => ({ ...lock, metadata: {} }));
    const isBlock = ({ spec }: Declared) => JSON.stringify(spec).includes("BLOCK");
    return {
      world: withoutBlocks(before),
      base: [],
      locks: presentLocks,
      now: withoutClaimed(
        declared.now.filter((rule) => !isBlock(rule)),
        presentLocks,
      ),
    };
  });

/** Returns documents as one text. */
export function written(declared: readonly Declared[]): string {
  return declared.map(({ kind, spec, metadata }) => document(kind, spec, metadata)).join("");
}

/** Leaves out what would be an error, such as references to objects that do not exist. */
function resolvable({ world: live, now, base }: Situation): readonly Declared[] {
  const there = (kind: string, records: readonly { readonly name: string }[]) => {
    const stated = [...now, ...base].filter((one) => one.kind === kind).map(({ spec }) => spec.name);
    return new Set<unknown>([
      ...records.map(({ name }) => name).filter((name) => !stated.includes(name)),
      ...now.filter((one) => one.kind === kind && one.metadata.state !== "absent").map(({ spec }) => spec.name),
    ]);
  };
  const isUser = there("AnalysisUser", live.analysis.users);
  const isGroup = there("AnalysisGroup", live.analysis.groups);
  const isRole = there("AnalysisRole", live.analysis.roles);
  const resolved = now.flatMap((declared): readonly Declared[] => {
    const { kind, spec } = declared;
    if (kind === "AnalysisGroup" && Array.isArray(spec.users))
      return [{ ...declared, spec: { ...spec, users: spec.users.filter((user) => isUser.has(user)) } }];
    if (kind !== "AnalysisRoleAssignment" || declared.metadata.state === "absent") return [declared];
    return isRole.has(spec.role) && (spec.group === true ? isGroup : isUser).has(spec.account) ? [declared] : [];
  });
  return withoutClaimed(resolved);
}

/** Leaves out rules about parts that a lock also decides. */
function withoutClaimed(declared: readonly Declared[], more: readonly Declared[] = []): readonly Declared[] {
  const claims = new Set([...declared, ...more].filter(({ kind }) => kind === "BranchLock").flatMap(claimsOf));
  return declared.filter((one) => one.kind !== "AccessRule" || !claimsOf(one).some((claim) => claims.has(claim)));
}

/**
 * Leaves out of the base resources that gave up a part of an object that another resource in `now` decides: that takes two
 * applies.
 */
function withoutMoved(base: readonly Declared[], now: readonly Declared[]): readonly Declared[] {
  const claimed = new Set(now.flatMap(claimsOf));
  const declared = Map.groupBy(now, addressOf);
  return base.filter((before) => {
    const after = declared.get(addressOf(before))?.[0];
    if (after === undefined) return true;
    const own = claimsOf(after);
    if (own.length === 0) return true;
    return !claimsOf(before).some((claim) => claimed.has(claim) && !own.includes(claim));
  });
}

/** Returns `Kind/key` of a document. */
export function addressOf(declared: Declared): string {
  return `${declared.kind}/${kinds.get(declared.kind)?.key(fullSpec(declared))}`;
}

function claimsOf(declared: Declared): readonly string[] {
  const claims = declared.metadata.state === "absent" ? undefined : kinds.get(declared.kind)?.claims;
  return claims?.(fullSpec(declared)) ?? [];
}

const fullSpecs = new WeakMap<Declared, unknown>();

/** Returns the spec with defaults. Documents do not change, so each is parsed once. */
function fullSpec(declared: Declared): unknown {
  const known = fullSpecs.get(declared);
  if (known !== undefined) return known;
  const full = kinds.get(declared.kind)?.spec.parse(declared.spec);
  fullSpecs.set(declared, full);
  return full;
}

function withoutBlocks(before: World): World {
  const isBlocked = ({ rules: stored }: { readonly rules: readonly { readonly action: string }[] }) =>
    stored.some(({ action }) => action === "BLOCK");
  const { projects: stored } = before.review;
  return {
    ...before,
    review: {
      ...before.review,
      projects: Object.fromEntries(
        Object.entries(stored).map(([name, project]) => [
          name,
          {
            ...project,
            access: Object.fromEntries(
              Object.entries(project.access).flatMap(([ref, section]) => {
                const kept = Object.entries(section).filter(([, permission]) => !isBlocked(permission));
                return kept.length === 0 ? [] : [[ref, Object.fromEntries(kept)]];
              }),
            ),
          },
        ]),
      ),
    },
  };
}
