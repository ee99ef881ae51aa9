import type { LeaveOut } from "../../../core/kind.ts";
import { groupsBy } from "../../../core/text/groups.ts";
import { inOrder } from "../../../core/text/words.ts";
import {
  type AccessMarker,
  type AccessSpot,
  branchPatterns,
  groupName,
  livePermission,
  strangePermission,
} from "./access.ts";
import { mayLift } from "./effect.ts";
import { BranchLock, type Cell, cellsOf, lockable, lockClaims } from "./lock.ts";
import { holdsAlone } from "./lock-effect.ts";

/**
 * Returns the locks in a project's access: permissions on a branch, or on uploads to it, that have only blocks of the same
 * groups under one spelling of the branch, as a lock writes them. If a branch has blocks of several sets of groups, the
 * set with the most blocks is its lock; the others are rules. `leaveOut` is told the branches whose permissions setpoint does
 * not understand: they might be locked.
 */
export function locksOf(project: string, access: AccessMarker, leaveOut: LeaveOut): readonly BranchLock[] {
  const branches = new Set(Object.keys(access.local).flatMap((ref) => branchOf(ref) ?? []));
  const claimed = new Set<string>();
  return [...branches].sort().flatMap((branch) => {
    const strange = [...allCells(branch).values()].flatMap(({ permission, refs }) =>
      refs.flatMap((ref) => strangePermission(access, ref, permission) ?? []),
    );
    if (strange[0] !== undefined) {
      leaveOut(branch, strange[0]);
      return [];
    }
    const lock = BranchLock.safeParse(lockOn(project, branch, access));
    // Two expressions can have a spelling in common, and blocks that other rules lift lock nothing.
    if (!lock.success || lockClaims(lock.data).some((claim) => claimed.has(claim)) || !holdsAlone(access, lock.data))
      return [];
    for (const claim of lockClaims(lock.data)) claimed.add(claim);
    return [lock.data];
  });
}

const prefix = "refs/heads/";

/** Returns the branch that a ref pattern matches, as a lock names it. */
function branchOf(ref: string): string | undefined {
  if (ref.startsWith(prefix)) return ref.endsWith("*") ? undefined : ref.slice(prefix.length);
  if (!ref.startsWith(`^${prefix}`)) return undefined;
  const inner = ref.slice(prefix.length + 1).replace(/(?<!\\)\$$/, "");
  const expressions = [inner, ...(/^\(.*\)$/.test(inner) ? [inner.slice(1, -1)] : [])];
  const literal = expressions
    .map((expression) => expression.replace(/\\([\\^$.*+?()[\]{}|])/g, "$1"))
    .find((name) => branchPatterns(prefix, name).slice(1).includes(ref));
  // A group around alternatives is part of the branch's own pattern.
  return literal ?? `^${/^\(([^()|]*)\)$/.exec(inner)?.[1] ?? inner}$`;
}

/** Returns every cell that a lock of the branch can have. */
export function allCells(branch: string): ReadonlyMap<string, Cell> {
  return cellsOf({ branch, permissions: lockable, reviewUploads: true });
}

interface Block {
  /** UUIDs, sorted. */
  readonly groups: readonly string[];
  readonly exclusive: boolean;
  readonly force: boolean;
}

function lockOn(project: string, branch: string, access: AccessMarker): unknown {
  const blocks = [...allCells(branch)].flatMap(([name, cell]) => {
    const block = blockIn(access, cell);
    return block === undefined || (block.force && name !== "branch push") ? [] : [{ name, block }];
  });
  const [largest] = groupsBy(blocks, ({ block }) => [block.groups, block.exclusive])
    .filter(({ all }) => all.some(({ name }) => name.startsWith("branch ")))
    .sort((a, b) => b.all.length - a.all.length);
  if (largest === undefined) return undefined;
  const { block } = largest.first;
  const held = new Map(largest.all.map(({ name, block }) => [name, block]));
  const isHeld = (of: string) => [...allCells(branch)].every(([name, cell]) => cell.of !== of || held.has(name));
  return {
    project,
    branch,
    permissions: lockable.filter(isHeld),
    reviewUploads: isHeld("reviewUploads"),
    groups: block.groups.map((group) => groupName(access, group)),
    exclusive: block.exclusive,
    force: held.get("branch push")?.force === true,
  };
}

/** Returns what a permission blocks if it has only blocks of one form under one spelling of the branch, and none is lifted. */
function blockIn(access: AccessMarker, { permission, refs }: AccessSpot): Block | undefined {
  const live = refs.flatMap((ref) => livePermission(access, ref, permission) ?? []);
  const blocking = live.filter(({ rules = {} }) => Object.values(rules).some(({ action }) => action === "BLOCK"));
  const [only] = blocking;
  if (only === undefined || blocking.length > 1 || live.some(mayLift)) return undefined;
  const rules = Object.entries(only.rules ?? {}).sort(([a], [b]) => inOrder(a, b));
  const [[, first] = []] = rules;
  const isAlike = rules.every(
    ([, { action, force = false }]) => action === "BLOCK" && force === (first?.force ?? false),
  );
  if (!isAlike) return undefined;
  return { groups: rules.map(([group]) => group), exclusive: only.exclusive ?? false, force: first?.force ?? false };
}
