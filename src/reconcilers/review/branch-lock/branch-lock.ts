import type { ReviewOperations, ReviewReader } from "../../../clients/review/operations.ts";
import type { Observation, Writable } from "../../../core/change.ts";
import type { Kind } from "../../../core/kind.ts";
import {
  type AccessMarker,
  accessScope,
  isOverridden,
  modifyAccess,
  readAccess,
  readAllAccess,
} from "../shared/access.ts";
import { locksOf } from "../shared/live-locks.ts";
import { BranchLock, cellsOf, claimsOf, liveLock, wishesOf } from "../shared/lock.ts";
import { type LockMarker, moveCalls, openChangesOf } from "./open-changes.ts";

/**
 * A branch that nobody may change: BLOCK rules on the branch, and on uploads for review to it.
 *
 * A lock has its own permissions. If the permission of the branch's section already has somebody's rules, the lock uses
 * another spelling of the same branch: a rule in the same section could override it, and an unlock could not restore
 * what the lock had replaced.
 */
export const branchLock: Kind<BranchLock, ReviewOperations, LockMarker> = {
  kind: "BranchLock",
  role: "review",
  summary: "A branch that nobody may submit or push to.",
  spec: BranchLock,
  budget: {
    reads:
      "1 getProjectAccess per project; several projects share 1 listAccess; 1 queryChanges per lock that moves open changes",
    writes: "1 modifyProjectAccess per project for all locks and rules; 1 moveChange per open change to move",
  },
  notes: `Unlocking restores the previous rules: a lock never removes or replaces a rule that it did not add. The service
keeps the heading of a section that had an exclusive permission, without any rules. \`reason\` cannot be read back from the
service, so changing only the reason is not a difference. Permissions and groups removed from \`permissions\` or \`groups\`
are unblocked only if \`--base\` shows that the lock had them; blocks that no manifest names are kept.

\`moveOpenChangesTo\` is as desired while the account sees no open change on the branch. Changes are moved after the lock
takes effect, so that none is uploaded after the move: a move needs the right to abandon on the locked branch and to upload
for review to the other branch, and a lock blocks neither. If the service refuses a move, the lock stays in effect.`,
  key: (spec) => `${spec.project}:${spec.branch}`,
  scope: (spec) => accessScope(spec.project),
  claims: claimsOf,
  normalize: ({ reason: _unreadable, ...spec }) => ({
    ...spec,
    permissions: [...spec.permissions].sort(),
    groups: [...spec.groups].sort(),
  }),

  async observe(read, _scope, wanted) {
    const access = await readAccess(read, wanted[0]?.project ?? "");
    const locks = [...Map.groupBy(wanted, branchLock.key)];
    return new Map(
      await Promise.all(
        locks.map(async ([key, declared]) => [key, await observeLock(read, access, declared)] as const),
      ),
    );
  },

  list: async (read) => (await readAllAccess(read)).flatMap(({ project, access }) => locksOf(project, access)),

  needsPerson(change) {
    if (change.action !== "create" && change.action !== "update") return undefined;
    const { marker, desired } = change;
    const exempt = [...cellsOf(desired).values()].find((cell) => isOverridden(marker, cell, desired.groups));
    if (exempt === undefined) return undefined;
    return `${exempt.permission} on ${exempt.refs[0]} is exclusive, so a lock beside it has no effect: remove the exclusive flag.`;
  },

  compile: (changes) => [...modifyAccess(changes, describe, wishesOf), ...changes.flatMap(moveCalls)],

  risk(change) {
    if (change.action === "delete") return ["widens-access"];
    const moves = moveCalls(change).length > 0 ? (["irreversible"] as const) : [];
    if (change.action === "create") return ["narrows-access", ...moves];
    const [live, desired] = [claimsOf(change.live), claimsOf(change.desired)];
    return [
      ...(live.every((part) => desired.includes(part)) ? [] : (["widens-access"] as const)),
      ...(desired.every((part) => live.includes(part)) ? [] : (["narrows-access"] as const)),
      ...moves,
    ];
  },
};

/** The live lock and the open changes to move; if they cannot be listed, this lock is unknown. */
async function observeLock(
  read: ReviewReader,
  access: AccessMarker,
  declared: readonly BranchLock[],
): Promise<Observation<BranchLock, LockMarker>> {
  const live = liveLock(access, declared);
  const open = await openChangesOf(read, declared);
  if (open.is === "unknown") return open;
  const marker = { ...access, openChanges: open.numbers };
  const seen = { marker, ...(open.note === undefined ? {} : { note: open.note }) };
  if (live === undefined) return { is: "absent", ...seen };
  const { moveOpenChangesTo, ...spec } = live;
  const isDone = moveOpenChangesTo !== undefined && open.numbers.length === 0;
  return { is: "present", spec: isDone ? { ...spec, moveOpenChangesTo } : spec, ...seen };
}

function describe(change: Writable<BranchLock, AccessMarker>): string {
  if (change.action === "delete") return `Unlock ${change.live.branch}`;
  const { branch, reason } = change.desired;
  return `${change.action === "create" ? "Lock" : "Change the lock of"} ${branch}${reason === undefined ? "" : `: ${reason}`}`;
}
