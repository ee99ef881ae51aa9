import { z } from "zod";
import type { ReviewReader } from "../../clients/review.ts";
import type { Writable } from "../../core/change.ts";
import type { Kind } from "../../core/kind.ts";
import type { Observation } from "../../core/observation.ts";
import type { AccessMarker, PermissionWish, Spot } from "./access.ts";
import {
  accessScope,
  blockRule,
  branchPatterns,
  groupKey,
  isOverridden,
  livePermission,
  modifyAccess,
  placesOf,
  readAccess,
  ruleClaim,
  spotClaims,
} from "./access.ts";

const BranchLock = z.strictObject({
  project: z.string().min(1).describe("Name of the project."),
  branch: z
    .string()
    .min(1)
    .refine((branch) => !branch.startsWith("refs/"), "expected the name of a branch without refs/heads/")
    .refine((branch) => branch.startsWith("^") === branch.endsWith("$"), "expected a name, or ^a regular expression$")
    .describe("Name of the branch without `refs/heads/`, or a regular expression between `^` and `$`."),
  permissions: z
    .array(z.enum(["submit", "push", "pushMerge", "create", "delete", "rebase", "revert"]))
    .min(1)
    .default(["submit", "push", "pushMerge"])
    .describe("What is blocked on the branch."),
  reviewUploads: z.boolean().default(true).describe("Whether uploads for review to the branch are blocked too."),
  groups: z
    .array(z.string().min(1))
    .min(1)
    .default(["global:Registered-Users"])
    .describe("Who is locked out: names or UUIDs of groups."),
  exclusive: z.boolean().default(true).describe("Whether the rules of wider patterns stop to apply."),
  force: z.boolean().default(false).describe("Whether `push` blocks forced pushes only."),
  reason: z.string().min(1).optional().describe("Why; written into the history of the project's configuration."),
});
type BranchLock = z.infer<typeof BranchLock>;

/**
 * A branch that nobody may change: BLOCK rules on the branch, and on uploads for review to it.
 *
 * A lock lives in permissions of its own. Where somebody's rules already stand in the permission of the branch's
 * section, the lock goes to another spelling of the same branch: a rule in the same section could override it, and an
 * unlock could not bring back what the lock had replaced.
 */
export const branchLock: Kind<BranchLock, ReviewReader, AccessMarker> = {
  kind: "BranchLock",
  role: "review",
  summary: "A branch that nobody may submit or push to.",
  spec: BranchLock,
  budget: {
    reads: "1 getProjectAccess a project; several projects share 1 listAccess",
    writes: "1 modifyProjectAccess a project, whatever the number of locks and rules",
  },
  notes: `Unlocking restores what was there: a lock never removes or replaces a rule that it did not add. The service keeps
the heading of a section that had an exclusive permission, without any rule in it.
\`reason\` cannot be read back from the service, so a change of it alone is no difference. What leaves \`permissions\` or
\`groups\` is unblocked where \`--base\` shows that the lock had it; blocks that no manifest names are kept.`,
  key: (spec) => `${spec.project}:${spec.branch}`,
  scope: (spec) => accessScope(spec.project),
  claims: claimsOf,
  normalize: ({ reason: _unreadable, ...spec }) => ({
    ...spec,
    permissions: [...spec.permissions].sort(),
    groups: [...spec.groups].sort(),
  }),

  async observe(read, _scope, wanted) {
    const access = await readAccess(read, wanted);
    const locks = Map.groupBy(wanted, branchLock.key);
    return new Map([...locks].map(([key, declared]) => [key, observeLock(access, declared)]));
  },

  needsPerson(change) {
    if (change.action !== "create" && change.action !== "update") return undefined;
    const { marker, desired } = change;
    const exempt = [...cellsOf(desired).values()].find((cell) => isOverridden(marker, cell, desired.groups));
    if (exempt === undefined) return undefined;
    return `${exempt.permission} on ${exempt.refs[0]} is exclusive, so a lock beside it has no effect: take the exclusive flag away.`;
  },

  compile: (changes) => modifyAccess(changes, describe, wishesOf),

  risk(change) {
    if (change.action === "create") return ["narrows-access"];
    if (change.action === "delete") return ["widens-access"];
    const [live, desired] = [claimsOf(change.live), claimsOf(change.desired)];
    return [
      ...(live.every((part) => desired.includes(part)) ? [] : (["widens-access"] as const)),
      ...(desired.every((part) => live.includes(part)) ? [] : (["narrows-access"] as const)),
    ];
  },
};

/** One blocked permission on the branch, or on uploads for review to it. */
interface Cell extends Spot {
  readonly on: "branch" | "uploads";
}

/** The cells of all given locks, each once, by name. */
function cellsOf(...locks: readonly BranchLock[]): ReadonlyMap<string, Cell> {
  const cells = locks.flatMap(({ branch, permissions, reviewUploads }) => {
    const cell = (on: Cell["on"], prefix: string) => (permission: string) => ({
      on,
      permission,
      refs: branchPatterns(prefix, branch),
    });
    return [
      ...permissions.map(cell("branch", "refs/heads/")),
      ...(reviewUploads ? ["addPatchSet", "push"].map(cell("uploads", "refs/for/refs/heads/")) : []),
    ];
  });
  return new Map(cells.map((cell) => [`${cell.on} ${cell.permission}`, cell]));
}

function claimsOf(spec: BranchLock): readonly string[] {
  return [...cellsOf(spec).values()].flatMap((cell) => spotClaims(spec.project, cell, spec.groups));
}

/**
 * The lock as it stands, looking only at what is declared now (first) or was at the base: other blocks are not ours.
 * What is wanted counts when every group is blocked, what is no longer wanted while any is.
 */
function observeLock(access: AccessMarker, declared: readonly BranchLock[]): Observation<BranchLock, AccessMarker> {
  const [wanted] = declared;
  const cells = cellsOf(...declared);
  const blocks = (cell: Cell, group: string) =>
    cell.refs.flatMap((ref) => blockRule(access, ref, cell.permission, group) ?? []);
  const groups = [...new Set(declared.flatMap((spec) => spec.groups))].filter((group) =>
    [...cells.values()].some((cell) => blocks(cell, group).length > 0),
  );
  if (wanted === undefined || groups.length === 0) return { is: "absent", marker: access };
  const held = [...cells].flatMap(([name, cell]) => {
    const isHeld = (group: string) => blocks(cell, group).length > 0;
    return (cellsOf(wanted).has(name) ? groups.every(isHeld) : groups.some(isHeld)) ? [cell] : [];
  });
  const names = (on: Cell["on"]) => held.filter((cell) => cell.on === on).map(({ permission }) => permission);
  const flags = held.flatMap((cell) =>
    placesOf(access, cell, groups).map((ref) => livePermission(access, ref, cell.permission)?.exclusive),
  );
  const forces = held
    .filter(({ on, permission }) => on === "branch" && permission === "push")
    .flatMap((cell) => groups.flatMap((group) => blocks(cell, group).map((rule) => rule.force)));
  const permissions = new Set(declared.flatMap((spec) => spec.permissions));
  return {
    is: "present",
    marker: access,
    spec: {
      ...wanted,
      groups,
      permissions: [...permissions].filter((name) => names("branch").includes(name)),
      reviewUploads: names("uploads").length > (wanted.reviewUploads ? 1 : 0),
      // A flag that stands in several places is as wanted only where all of them are.
      exclusive: flags.every((flag = false) => flag === wanted.exclusive) === wanted.exclusive,
      force: forces.every((flag = false) => flag === wanted.force) === wanted.force,
    },
  };
}

/** What project access must become: blocks for what is desired, and none of ours for what no longer is. */
function wishesOf(change: Writable<BranchLock, AccessMarker>): readonly PermissionWish[] {
  const access = change.marker;
  const desired = change.action === "delete" ? [] : [change.desired];
  const former =
    change.action === "create" ? [] : change.action === "update" ? [change.live] : [change.live, change.declared];
  const kept = change.action === "create" ? [] : change.kept;
  const allGroups = [...desired, ...former].flatMap(({ groups }) => groups);
  const wanted = cellsOf(...desired);
  return [...cellsOf(...desired, ...former)].flatMap(([name, cell]) => {
    const [spec] = wanted.has(name) ? desired : [];
    const rule = { action: "BLOCK", force: name === "branch push" && spec?.force === true } as const;
    const rules = Object.fromEntries((spec?.groups ?? []).map((group) => [groupKey(access, group), rule]));
    return placesOf(access, cell, allGroups).map((ref) => {
      const gone = former.flatMap(({ project, groups }) =>
        groups
          .filter((group) => !kept.includes(ruleClaim(project, ref, cell.permission, group)))
          .filter((group) => blockRule(access, ref, cell.permission, group)),
      );
      const exclusive = spec?.exclusive ?? (gone.length > 0 ? false : undefined);
      return { ref, permission: cell.permission, exclusive, rules, drop: gone.map((group) => groupKey(access, group)) };
    });
  });
}

function describe(change: Writable<BranchLock, AccessMarker>): string {
  if (change.action === "delete") return `Unlock ${change.live.branch}`;
  const { branch, reason } = change.desired;
  return `${change.action === "create" ? "Lock" : "Change the lock of"} ${branch}${reason === undefined ? "" : `: ${reason}`}`;
}
