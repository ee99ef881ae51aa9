import type { ReviewOperations, ReviewReader } from "../../../clients/review/operations.ts";
import { type CallOf, callOf } from "../../../core/call.ts";
import type { Writable } from "../../../core/change.ts";
import { counted, quote } from "../../../core/text/words.ts";
import { lookUp } from "../shared/groups.ts";
import type { BranchLock, JudgedAccess } from "../shared/lock.ts";

const call = callOf<ReviewOperations>();

/** What a lock keeps from the read for the write. */
export interface LockMarker extends JudgedAccess {
  /** Numbers of the open changes to move, in order. */
  readonly openChanges: readonly number[];
  /** Why they need a person before they can be moved. */
  readonly unmovable?: string;
}

/** The open changes to move. `note` names the first of them. */
interface OpenChanges {
  readonly numbers: readonly number[];
  readonly note?: string;
  readonly unmovable?: string;
}

/** The maximum number of changes named in a note. */
const mostNamed = 5;

/**
 * Reads the open changes of the branch, with one query, if the current lock, the first, moves them. Project and branch of the
 * results are checked again, because a query can match more than it states. If there are any, another read checks that the
 * branch to move them to exists.
 */
export async function openChangesOf(read: ReviewReader, [lock]: readonly BranchLock[]): Promise<OpenChanges> {
  if (lock?.moveOpenChangesTo === undefined) return { numbers: [] };
  const { project, branch, moveOpenChangesTo } = lock;
  const found = await read.queryChanges({ q: { project, branch, is: "open" } });
  const numbers = found
    .filter((change) => change.project === project && change.branch === branch)
    .map(({ _number }) => _number)
    .sort((a, b) => a - b);
  if (numbers.length === 0) return { numbers };
  const target = await lookUp(read.getBranch({ projectName: project, branchId: moveOpenChangesTo }));
  const named = numbers.length <= mostNamed ? numbers : [...numbers.slice(0, mostNamed), "…"];
  const count = counted(numbers.length, "open change");
  const note = `${count}: ${named.join(", ")}`;
  if (target !== "missing") return { numbers, note };
  const unmovable = `${project} has no branch ${quote(moveOpenChangesTo)} to move ${count} to: create it, or name another one.`;
  return { numbers, note, unmovable };
}

/** Returns one call per change to move. The calls follow the lock, so that nothing is uploaded after the move. */
export function moveCalls(change: Writable<BranchLock, LockMarker>): readonly CallOf<ReviewOperations>[] {
  const branch = change.action === "delete" ? undefined : change.desired.moveOpenChangesTo;
  if (branch === undefined) return [];
  return change.marker.openChanges.map((changeNumber) =>
    call("moveChange", { changeNumber, destination_branch: branch }, [change]),
  );
}
