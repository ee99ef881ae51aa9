import type { ReviewOperations, ReviewReader } from "../../clients/review/operations.ts";
import { type CallOf, callOf } from "../../core/call.ts";
import type { Observation, Writable } from "../../core/change.ts";
import type { Kind } from "../../core/kind.ts";
import type { Problem } from "../../core/problem.ts";
import { defined } from "../../core/text/json.ts";
import { counted, quote } from "../../core/text/words.ts";
import { refuse } from "../shared/left-out.ts";
import { accessRisks } from "../shared/risks.ts";
import { observeEach } from "../shared/told.ts";
import { type AccessMarker, accessScope, modifyAccess, readAccess } from "./shared/access.ts";
import { listAccess } from "./shared/all-access.ts";
import { configHistory, historyBudget } from "./shared/config-history.ts";
import { groupMistake, lookUp, withGroups } from "./shared/groups.ts";
import { locksOf } from "./shared/live-locks.ts";
import {
  BranchLock,
  holdsParts,
  type JudgedAccess,
  liveLock,
  lockClaims,
  lockWishes,
  ownersIn,
  refusedAddition,
  takenBy,
} from "./shared/lock.ts";
import { effectOf } from "./shared/lock-effect.ts";

/**
 * A branch that nobody may change: BLOCK rules on the branch, and on uploads for review to it. They are under a spelling of
 * the branch that has no other rules and under which they take effect.
 *
 * @see docs/decisions/locks.md
 */
export const branchLock: Kind<BranchLock, ReviewOperations, LockMarker> = {
  kind: "BranchLock",
  role: "review",
  summary: "A branch that nobody may submit or push to.",
  spec: BranchLock,
  judgedByScope: true,
  budget: {
    reads: `1 getProjectAccess per project, and per parent if the project's own rules lift a block; several projects share 1 listAccess; 1 getGroup per group that no rule of the project has yet, and 1 listGroups if one is missing; 1 queryChanges per lock that moves open changes, and 1 getBranch if there are any; ${historyBudget}`,
    writes: "1 modifyProjectAccess per project for all locks and rules; 1 moveChange per open change to move",
  },
  notes: `A lock is as desired if it has an effect: no member of \`groups\` can do what it blocks. The plan says who still can,
because of which rule; the lock then moves to a spelling of its branch that prevails or, if there is none, needs a person.
Owners of the project can change the rules, and administrators can delete a branch through the REST API: a lock exempts
them. \`delete\` without \`push\` leaves forced pushes, which can delete too. A lock of an expression also blocks creating
branches that it matches; leave out \`create\` to permit that. The service shows one rule per group: a BLOCK that came with a push can hide an ALLOW.

Unlocking restores the previous rules: a lock never removes or replaces a rule that it did not add. The service
keeps the heading of a section that had an exclusive permission, without any rules. \`reason\` cannot be read back from the
service, so changing only the reason is not a difference. Permissions and groups removed from \`permissions\` or \`groups\`
are unblocked only if \`--base\` shows that the lock had them; blocks that no manifest names are kept.

\`moveOpenChangesTo\` is as desired while the account sees no open change on the branch. Changes are moved after the lock
takes effect, so that none is uploaded after the move: a move needs the right to abandon on the locked branch and to upload
for review to the other branch, and a lock blocks neither. If the service refuses a move, the lock stays in effect.`,
  key: (spec) => `${spec.project}:${spec.branch}`,
  scope: (spec) => accessScope(spec.project),
  claims: lockClaims,
  normalize: ({ reason: _unreadable, ...spec }) => ({
    ...spec,
    permissions: [...spec.permissions].sort(),
    groups: [...spec.groups].sort(),
  }),

  async observe(read, _scope, wanted) {
    const groups = wanted.flatMap((spec) => spec.groups);
    const access = await withGroups(read, await readAccess(read, wanted[0]?.project ?? ""), groups);
    const locks = Map.groupBy(wanted, branchLock.key);
    return observeEach(wanted, branchLock, (spec) => observeLock(read, access, locks.get(branchLock.key(spec)) ?? []));
  },

  list: (read, _now, leaveOut = refuse) =>
    listAccess(
      read,
      (project, access) => locksOf(project, access, (branch, problem) => leaveOut(`${project}:${branch}`, problem)),
      leaveOut,
    ),

  needsPerson(change) {
    const { marker } = change;
    const refused = refusedAddition(change);
    if (change.action === "delete") return marker.byHand ?? refused;
    const { desired } = change;
    const isMove =
      change.action === "update" && change.fields.every(({ path: [name] }) => name === "moveOpenChangesTo");
    const mistake = (isMove ? undefined : marker.byHand) ?? groupMistake(marker, desired.groups) ?? marker.unmovable;
    const { unpreventable } = marker.effect;
    if (mistake !== undefined || unpreventable === undefined) return mistake ?? refused;
    const { branch } = desired;
    const otherwise = branch.startsWith("^") ? ", or lock that branch by its name too" : "";
    return `A lock of ${branch} does not prevent this: ${unpreventable}. Remove that rule or its exclusive flag${otherwise}.`;
  },

  replacesMore: holdsParts,
  history: configHistory,
  compile: (changes) => [...modifyAccess(changes, describe, lockWishes), ...changes.flatMap(moveCalls)],

  risk(change) {
    if (change.action === "delete") return ["widens-access"];
    const moves = moveCalls(change).length > 0 ? (["irreversible"] as const) : [];
    if (change.action === "create") return ["narrows-access", ...moves];
    return [...accessRisks(takenBy(change.desired), takenBy(change.live)), ...moves];
  },
};

/** Observes the live lock, judged by its effect, and the open changes to move. If either is unclear, the lock is unknown. */
async function observeLock(
  read: ReviewReader,
  access: AccessMarker,
  declared: readonly BranchLock[],
): Promise<Observation<BranchLock, LockMarker>> {
  const effect = await effectOf(read, access, declared);
  if (effect.unclear !== undefined) return { is: "unknown", problem: unreadable(effect.unclear) };
  const { numbers: openChanges, note: toMove, unmovable } = await openChangesOf(read, declared);
  const marker = { ...access, effect, ours: ownersIn(access, declared), openChanges, ...defined({ unmovable }) };
  const notes = [...new Set(Object.values(effect.open))].map((opening) => `locked, but ${opening}`);
  const note = [...notes, ...(toMove === undefined ? [] : [toMove])].join("; ");
  const seen = { marker, ...(note === "" ? {} : { note }) };
  const live = liveLock(marker, declared);
  if (live === undefined) return { is: "absent", ...seen };
  const { moveOpenChangesTo, ...spec } = live;
  const isDone = moveOpenChangesTo !== undefined && openChanges.length === 0;
  return { is: "present", spec: isDone ? { ...spec, moveOpenChangesTo } : spec, ...seen };
}

function unreadable(what: string): Problem {
  return {
    code: "SP3103",
    operation: "getProjectAccess",
    message: `Whether the lock takes effect cannot be determined: ${what}.`,
    hint: "Write the pattern as an expression that Java and RE2 read alike, and without a user's name.",
  };
}

function describe(change: Writable<BranchLock, AccessMarker>): string {
  if (change.action === "delete") return `Unlock ${change.live.branch}`;
  const { branch, reason } = change.desired;
  return `${change.action === "create" ? "Lock" : "Change the lock of"} ${branch}${reason === undefined ? "" : `: ${reason}`}`;
}

const call = callOf<ReviewOperations>();

/** What a lock keeps from the read for the write. */
interface LockMarker extends JudgedAccess {
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
async function openChangesOf(read: ReviewReader, [lock]: readonly BranchLock[]): Promise<OpenChanges> {
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
function moveCalls(change: Writable<BranchLock, LockMarker>): readonly CallOf<ReviewOperations>[] {
  const branch = change.action === "delete" ? undefined : change.desired.moveOpenChangesTo;
  if (branch === undefined) return [];
  return change.marker.openChanges.map((changeNumber) =>
    call("moveChange", { changeNumber, destination_branch: branch }, [change]),
  );
}
