import { z } from "zod";
import type { Writable } from "../../../core/change.ts";
import { eachOnce, Text } from "../../shared/fields.ts";
import {
  type AccessMarker,
  type AccessSpot,
  blockRule,
  branchPatterns,
  editsOf,
  exclusiveClaim,
  groupKey,
  groupNames,
  heldAt,
  isRuleKept,
  livePermission,
  type PermissionWish,
  Project,
  refMistake,
  spotClaims,
} from "./access.ts";
import { distinctGroups, ghostMistake } from "./groups.ts";

/** Permissions of a branch that a lock can block. */
export const lockable = ["submit", "push", "pushMerge", "create", "delete", "rebase", "revert"] as const;

/** The specification of a lock. */
export const BranchLock = z
  .strictObject({
    project: Project,
    branch: Text.refine((branch) => !branch.startsWith("refs/"), "expected the name of a branch without refs/heads/")
      .refine((branch) => branch.startsWith("^") === branch.endsWith("$"), "expected a name, or ^a regular expression$")
      .superRefine((branch, { addIssue }) => {
        const [preferred, other = preferred] = branchPatterns("refs/heads/", branch);
        const mistake = branch.startsWith("^") === branch.endsWith("$") && refMistake(other) && refMistake(preferred);
        if (mistake) addIssue(mistake);
      })
      .describe("Name of the branch without `refs/heads/`, or a regular expression between `^` and `$`."),
    permissions: z
      .array(z.enum(lockable))
      .min(1)
      .refine(...eachOnce("permission"))
      .default(["submit", "push", "pushMerge", "create", "delete"])
      .describe(
        "Permissions to block on the branch: without `create` and `delete`, it can be deleted and created again.",
      ),
    reviewUploads: z.boolean().default(true).describe("Whether uploads for review to the branch are blocked too."),
    groups: z
      .array(Text)
      .min(1)
      .refine(...eachOnce("group"))
      .default(["global:Registered-Users"])
      .describe("Names or UUIDs of the groups to block."),
    exclusive: z.boolean().default(true).describe("Whether the rules of wider patterns no longer apply."),
    force: z.boolean().default(false).describe("Whether `push` blocks forced pushes only."),
    moveOpenChangesTo: Text.refine(
      (branch) => !/^(?:refs\/|\^)/.test(branch),
      "expected the name of a branch without refs/heads/",
    )
      .optional()
      .describe("Branch to move the open changes of the locked branch to; they lose all votes but vetoes."),
    reason: Text.optional().describe("Reason for the lock; written to the history of the project's configuration."),
  })
  .superRefine(({ branch, moveOpenChangesTo }, context) => {
    const refuse = (message: string) => context.addIssue({ code: "custom", path: ["moveOpenChangesTo"], message });
    if (moveOpenChangesTo !== undefined && branch.startsWith("^"))
      refuse("expected `branch` to be a name: changes are not moved for a regular expression");
    if (moveOpenChangesTo === branch) refuse("expected a branch other than the locked one");
  });
export type BranchLock = z.infer<typeof BranchLock>;

/** One blocked permission on the branch, or on uploads for review to it. */
export interface Cell extends AccessSpot {
  readonly on: "branch" | "uploads";
  /** The permission or the field of the lock that it belongs to. */
  readonly of: string;
}

/** What a lock prevents, cell by cell. */
export interface LockEffect {
  /** Where the blocks of each cell take effect, by the cell's name. */
  readonly places: Readonly<Record<string, readonly string[]>>;
  /** What the live blocks of a cell do not prevent, by the cell's name. */
  readonly open: Readonly<Record<string, string>>;
  /** What no block can prevent, because of other rules. */
  readonly unpreventable?: string;
  /** What cannot be judged. */
  readonly unclear?: string;
}

/** What a lock keeps from the read: the rules, and their effect on the lock. */
export interface JudgedAccess extends AccessMarker {
  readonly effect: LockEffect;
  /** The groups whose blocks in a cell a declared lock adds, by the cell's name: blocks of others stay. */
  readonly ours: Readonly<Record<string, readonly string[]>>;
}

/** The fields that determine the cells of a lock. */
type Extent = Readonly<Pick<BranchLock, "branch" | "reviewUploads">> & { readonly permissions: readonly string[] };

/**
 * Returns the cells of all given locks, each once, by name: `branch push`, `uploads push`. The server checks the permission
 * to push merges on the uploads, even for pushes to the branch.
 * @see docs/facts.md, Review: Evaluating access rules
 */
export function cellsOf(...locks: readonly Extent[]): ReadonlyMap<string, Cell> {
  const cells = locks.flatMap(({ branch, permissions, reviewUploads }): readonly Cell[] => {
    const onBranch = branchPatterns("refs/heads/", branch);
    const onUploads = branchPatterns("refs/for/refs/heads/", branch);
    return [
      ...permissions.map((permission) => ({ on: "branch", of: permission, permission, refs: onBranch }) as const),
      ...[
        ...(reviewUploads ? ["addPatchSet", "push"].map((permission) => ({ of: "reviewUploads", permission })) : []),
        ...(permissions.includes("pushMerge") ? [{ of: "pushMerge", permission: "pushMerge" }] : []),
      ].map((cell) => ({ on: "uploads", refs: onUploads, ...cell }) as const),
    ];
  });
  return new Map(cells.map((cell) => [`${cell.on} ${cell.permission}`, cell]));
}

/** Returns the claims of a lock, under every spelling of its branch. */
export function lockClaims(spec: BranchLock, access?: AccessMarker): readonly string[] {
  const groups = spec.groups.flatMap((group) => groupNames(access, group));
  return [...cellsOf(spec).values()].flatMap((cell) => spotClaims(spec.project, cell, groups));
}

/** Returns what a lock takes away: from everybody else too if it is exclusive, and all pushes unless only forced ones. */
export function takenBy(spec: BranchLock): readonly string[] {
  return [...lockClaims(spec), ...(spec.exclusive ? ["wider patterns"] : []), ...(spec.force ? [] : ["plain pushes"])];
}

/** Returns the groups of each cell: those of the declared locks that have the cell, now or at the base. */
export function ownersIn(access: AccessMarker, declared: readonly BranchLock[]): JudgedAccess["ours"] {
  const owners = declared.flatMap((spec) =>
    [...cellsOf(spec).keys()].map((name) => [name, spec.groups.map((group) => groupKey(access, group))] as const),
  );
  const byName = Map.groupBy(owners, ([name]) => name);
  return Object.fromEntries([...byName].map(([name, all]) => [name, all.flatMap(([, groups]) => groups)]));
}

/**
 * Returns the live lock, limited to what is declared now (first) or was declared at the base: other blocks are not ours. A
 * wanted cell counts if every group is blocked effectively, an unwanted one if any group is. Undefined if there is no lock.
 */
export function liveLock(access: JudgedAccess, declared: readonly BranchLock[]): BranchLock | undefined {
  const [wanted] = declared;
  const cells = [...cellsOf(...declared)];
  const named = declared.flatMap((spec) => spec.groups);
  const blocksOf = (group: string, name: string, { refs, permission }: Cell) =>
    access.ours[name]?.includes(groupKey(access, group))
      ? refs.flatMap((ref) => blockRule(access, ref, permission, group) ?? [])
      : [];
  const groups = distinctGroups(access, named).filter((group) =>
    cells.some(([name, cell]) => blocksOf(group, name, cell).length > 0),
  );
  if (wanted === undefined || groups.length === 0) return undefined;
  const wantedCells = cellsOf(wanted);
  const held = cells.filter(([name, cell]) => {
    if (!wantedCells.has(name)) return groups.some((group) => blocksOf(group, name, cell).length > 0);
    // A block of forced pushes blocks nothing else.
    const isBlocked = (group: string) =>
      blocksOf(group, name, cell).some(({ force = false }) => !force || name === "branch push");
    return groups.every(isBlocked) && access.effect.open[name] === undefined;
  });
  const isHeld = (of: string) => {
    const count = (all: Iterable<readonly [string, Cell]>) => [...all].filter(([, cell]) => cell.of === of).length;
    return count(held) >= Math.max(1, count(wantedCells));
  };
  const flags = held.flatMap(([, cell]) =>
    heldAt(access, cell, groups).map((ref) => livePermission(access, ref, cell.permission)?.exclusive),
  );
  const forces = held
    .filter(([name]) => name === "branch push")
    .flatMap(([name, cell]) => groups.flatMap((group) => blocksOf(group, name, cell)));
  const permissions = new Set(declared.flatMap((spec) => spec.permissions));
  return {
    ...wanted,
    groups,
    permissions: [...permissions].filter(isHeld),
    reviewUploads: isHeld("reviewUploads"),
    // A flag in several places is as desired only if it is so in all of them.
    exclusive: flags.every((flag = false) => flag === wanted.exclusive) === wanted.exclusive,
    force: forces.every(({ force = false }) => force === wanted.force) === wanted.force,
  };
}

/** Returns the access to reach: blocks for desired cells where they take effect, and none of ours anywhere else. */
export function lockWishes(change: Writable<BranchLock, JudgedAccess>): readonly PermissionWish[] {
  const access = change.marker;
  const desired = change.action === "delete" ? [] : [change.desired];
  const former =
    change.action === "create" ? [] : change.action === "update" ? [change.live] : [change.live, change.declared];
  const kept = change.action === "create" ? [] : change.kept;
  const { project } = change.action === "delete" ? change.declared : change.desired;
  // A flag that the lock did not set belongs to someone else.
  const wasFlagged = change.action !== "delete" || change.declared.exclusive;
  const allGroups = [...desired, ...former].flatMap(({ groups }) => groups);
  const wanted = cellsOf(...desired);
  return [...cellsOf(...desired, ...former)].flatMap(([name, cell]) => {
    const { permission } = cell;
    const [spec] = wanted.has(name) ? desired : [];
    const rule = { action: "BLOCK", force: name === "branch push" && spec?.force === true } as const;
    const blocks = Object.fromEntries((spec?.groups ?? []).map((group) => [groupKey(access, group), rule]));
    const held = heldAt(access, cell, allGroups);
    const places = spec === undefined ? [] : (access.effect.places[name] ?? cell.refs.slice(0, 1));
    return [...new Set([...places, ...held])].map((ref) => {
      const isPlace = places.includes(ref);
      const gone = former.flatMap(({ groups }) =>
        groups
          .filter((group) => access.ours[name]?.includes(groupKey(access, group)))
          .filter((group) => !isRuleKept(access, kept, [project, ref, permission, group]))
          .filter((group) => blockRule(access, ref, permission, group)),
      );
      const isOurs = gone.length > 0 && wasFlagged && !kept.includes(exclusiveClaim(project, ref, permission));
      return {
        ref,
        permission,
        exclusive: isPlace ? spec?.exclusive : isOurs ? false : undefined,
        rules: isPlace ? blocks : {},
        drop: gone.map((group) => groupKey(access, group)),
      };
    });
  });
}

/**
 * Whether blocks of the lock are in cells that the live lock lacks, because others of them are gone or something opens them, or
 * differ in a flag: as declared, the live lock would then be found to have the other one.
 */
export function holdsParts(change: Writable<BranchLock, JudgedAccess>): boolean {
  if (change.action === "create") return false;
  const { live, marker } = change;
  const again = liveLock(marker, [live]);
  if (again?.exclusive !== live.exclusive || again.force !== live.force) return true;
  const whole = cellsOf(live);
  return [...cellsOf(change.action === "delete" ? change.declared : change.desired)].some(
    ([name, cell]) => !whole.has(name) && heldAt(marker, cell, marker.ours[name] ?? []).length > 0,
  );
}

/**
 * Returns what a person must do if a lock can be changed or removed only by adding rules under a pattern that the service no
 * longer accepts: those of an older server, or of a push to its configuration. It removes rules there.
 * @see docs/facts.md, review: a ref pattern is judged by its shortest match
 */
export function refusedAddition(change: Writable<BranchLock, JudgedAccess>): string | undefined {
  const wishes = lockWishes(change);
  const refused = editsOf(change.marker, wishes).find(
    ({ wish, edit }) => edit?.add !== undefined && refMistake(wish.ref),
  );
  return refused === undefined
    ? ghostMistake(change.marker, wishes)
    : `The service adds no rules to ${refused.wish.ref}, which matches what is no ref: move what is there to another pattern, by a push to refs/meta/config.`;
}
