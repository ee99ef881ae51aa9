import { z } from "zod";
import type { Writable } from "../../../core/change.ts";
import {
  type AccessMarker,
  blockRule,
  branchPatterns,
  groupKey,
  livePermission,
  type PermissionWish,
  placesOf,
  ruleClaim,
  type Spot,
  spotClaims,
} from "./access.ts";

/** Permissions of a branch that a lock can block. */
export const lockable = ["submit", "push", "pushMerge", "create", "delete", "rebase", "revert"] as const;

/** What a lock states. */
export const BranchLock = z
  .strictObject({
    project: z.string().min(1).describe("Name of the project."),
    branch: z
      .string()
      .min(1)
      .refine((branch) => !branch.startsWith("refs/"), "expected the name of a branch without refs/heads/")
      .refine((branch) => branch.startsWith("^") === branch.endsWith("$"), "expected a name, or ^a regular expression$")
      .describe("Name of the branch without `refs/heads/`, or a regular expression between `^` and `$`."),
    permissions: z
      .array(z.enum(lockable))
      .min(1)
      .default(["submit", "push", "pushMerge"])
      .describe("Permissions to block on the branch."),
    reviewUploads: z.boolean().default(true).describe("Whether uploads for review to the branch are blocked too."),
    groups: z
      .array(z.string().min(1))
      .min(1)
      .default(["global:Registered-Users"])
      .describe("Names or UUIDs of the groups to block."),
    exclusive: z.boolean().default(true).describe("Whether the rules of wider patterns no longer apply."),
    force: z.boolean().default(false).describe("Whether `push` blocks forced pushes only."),
    moveOpenChangesTo: z
      .string()
      .min(1)
      .refine((branch) => !/^(?:refs\/|\^)/.test(branch), "expected the name of a branch without refs/heads/")
      .optional()
      .describe("Branch to move the open changes of the locked branch to; they lose their votes."),
    reason: z
      .string()
      .min(1)
      .optional()
      .describe("Reason for the lock; written to the history of the project's configuration."),
  })
  .superRefine(({ branch, moveOpenChangesTo }, context) => {
    const refuse = (message: string) => context.addIssue({ code: "custom", path: ["moveOpenChangesTo"], message });
    if (moveOpenChangesTo !== undefined && branch.startsWith("^"))
      refuse("expected `branch` to be a name: changes are not moved for a regular expression");
    if (moveOpenChangesTo === branch) refuse("expected a branch other than the locked one");
  });
export type BranchLock = z.infer<typeof BranchLock>;

/** One blocked permission on the branch, or on uploads for review to it. */
export interface Cell extends Spot {
  readonly on: "branch" | "uploads";
}

/** The fields that determine the cells of a lock. */
type Extent = Readonly<Pick<BranchLock, "branch" | "reviewUploads">> & { readonly permissions: readonly string[] };

/** The cells of all given locks, each once, by name: `branch push`, `uploads push`. */
export function cellsOf(...locks: readonly Extent[]): ReadonlyMap<string, Cell> {
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

/** What only the lock may manage, under every spelling of its branch. */
export function claimsOf(spec: BranchLock): readonly string[] {
  return [...cellsOf(spec).values()].flatMap((cell) => spotClaims(spec.project, cell, spec.groups));
}

/**
 * The live lock, limited to what is declared now (first) or was declared at the base: other blocks are not ours. A wanted
 * cell counts if every group is blocked, an unwanted one if any group is. Undefined if there is no lock.
 */
export function liveLock(access: AccessMarker, declared: readonly BranchLock[]): BranchLock | undefined {
  const [wanted] = declared;
  const cells = cellsOf(...declared);
  const blocks = (cell: Cell, group: string) =>
    cell.refs.flatMap((ref) => blockRule(access, ref, cell.permission, group) ?? []);
  const groups = [...new Set(declared.flatMap((spec) => spec.groups))].filter((group) =>
    [...cells.values()].some((cell) => blocks(cell, group).length > 0),
  );
  if (wanted === undefined || groups.length === 0) return undefined;
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
    ...wanted,
    groups,
    permissions: [...permissions].filter((name) => names("branch").includes(name)),
    reviewUploads: names("uploads").length > (wanted.reviewUploads ? 1 : 0),
    // A flag in several places is as wanted only if all of them are.
    exclusive: flags.every((flag = false) => flag === wanted.exclusive) === wanted.exclusive,
    force: forces.every((flag = false) => flag === wanted.force) === wanted.force,
  };
}

/** The project access to reach: blocks for what is desired, and none of ours for what no longer is. */
export function wishesOf(change: Writable<BranchLock, AccessMarker>): readonly PermissionWish[] {
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
