import type { AccessRuleInfo, AccessSections, PermissionInfo } from "../../../clients/review/access.ts";
import type { ReviewReader } from "../../../clients/review/operations.ts";
import { onceEach, onceFor } from "../../../core/once.ts";
import { hasOnly } from "../../../core/problem.ts";
import {
  type AccessMarker,
  blockRule,
  groupKey,
  heldAt,
  livePermission,
  readAccess,
  refMistake,
  strangePermission,
} from "./access.ts";
import { commonRefs } from "./automaton.ts";
import { allowedBy, type Grant, type Ground, grantOf, mayLift } from "./effect.ts";
import { type BranchLock, type Cell, cellsOf, type LockEffect } from "./lock.ts";
import { permissionIn, permissionName } from "./permission-names.ts";
import { mayMeet } from "./ref-pattern.ts";

/** Who can do what despite a block. */
interface Opening {
  readonly who: string;
  readonly ref: string;
  readonly grant: Grant;
}

/** A cell and the refs by which it is judged. */
interface Judged extends Cell {
  readonly name: string;
  /** Refs of the cell for which some rules might lift a block; empty if none do. */
  readonly targets: readonly string[];
  /** A pattern with such rules that cannot be read. */
  readonly unread?: string | undefined;
}

interface Judging {
  readonly lock: BranchLock;
  readonly access: AccessMarker;
  /** UUIDs of the groups whose blocks the lock can move. */
  readonly ours: ReadonlySet<string>;
  readonly names: AccessMarker["groups"];
  readonly ground: Ground;
}

/**
 * Judges the current lock, the first, by its effect: whether a member of its groups can do what it blocks, whatever other
 * groups with rules the member is in. The parents' rules are read if the project's own rules lift a block.
 */
export async function effectOf(
  read: ReviewReader,
  access: AccessMarker,
  declared: readonly BranchLock[],
): Promise<LockEffect> {
  const [lock] = declared;
  if (lock === undefined) return { places: {}, open: {} };
  const { judging, cells, found, holds } = judgedAlone(access, lock, declared);
  if (holds || access.parent === undefined) return found;
  const parents = await readParents(read, access.parent);
  const contested = cells.filter(({ targets }) => targets.length > 0);
  const permissions = new Set(contested.map(({ permission }) => permission));
  // Throws for one that is not completely understood.
  for (const parent of parents)
    for (const pattern of Object.keys(parent.local))
      for (const permission of permissions) livePermission(parent, pattern, permission);
  const ground = { chain: [...judging.ground.chain, ...parents], isWhole: true };
  const names = Object.assign({}, ...parents.map(({ groups }) => groups), access.groups);
  return effect({ ...judging, names, ground }, cells);
}

/** Whether a lock holds by the project's own rules, whatever its parents' rules are; false if that is unclear. */
export function holdsAlone(access: AccessMarker, lock: BranchLock): boolean {
  try {
    return judgedAlone(access, lock, [lock]).holds;
  } catch (error) {
    if (hasOnly(error, "SP3103")) return false;
    throw error;
  }
}

/** Judges a lock by the project's own rules. */
function judgedAlone(access: AccessMarker, lock: BranchLock, declared: readonly BranchLock[]) {
  const cells = [...cellsOf(lock)].map(([name, cell]) => judged(access, name, cell));
  const ours = new Set(declared.flatMap(({ groups }) => groups.map((group) => groupKey(access, group))));
  const chain = [{ project: lock.project, local: access.local }];
  const judging = { lock, access, ours, names: access.groups, ground: { chain, isWhole: access.parent === undefined } };
  const found = effect(judging, cells);
  return {
    judging,
    cells,
    found,
    holds: Object.keys(found.open).length === 0 && !found.unpreventable && !found.unclear,
  };
}

/** Reads the access of a project's ancestors, the nearest first. */
async function readParents(read: ReviewReader, parent: string) {
  const parents: (AccessMarker & { readonly project: string })[] = [];
  for (let name: string | undefined = parent; name !== undefined; name = parents.at(-1)?.parent) {
    const project = name;
    if (parents.some((known) => known.project === project)) break;
    parents.push({ project, ...(await readAccess(read, project)) });
  }
  return parents;
}

/** Returns the patterns whose rules for a permission might lift a block or are not understood: few, and equal for all locks. */
const contestedIn = onceFor((access: AccessMarker) => {
  const mayMatter = (pattern: string, permission: string) =>
    mayLift(permissionIn(access.local, pattern, permission)) ||
    strangePermission(access, pattern, permission) !== undefined;
  return onceEach((permission: string) => Object.keys(access.local).filter((one) => mayMatter(one, permission)));
});

function judged(access: AccessMarker, name: string, cell: Cell): Judged {
  const [preferred] = cell.refs;
  const rivals = contestedIn(access)(cell.permission).filter(
    (pattern) => mayMeet(pattern, preferred) && mayLift(livePermission(access, pattern, cell.permission)),
  );
  if (rivals.length === 0) return { ...cell, name, targets: [] };
  if (!preferred.startsWith("^")) return { ...cell, name, targets: [preferred] };
  // The grouped spelling covers the whole expression, whatever alternatives it has.
  const [, language = preferred] = cell.refs;
  const common = rivals.map((rival) => commonRefs(language, rival));
  const unread = rivals.find((_, index) => common[index] === undefined);
  return { ...cell, name, targets: [...new Set(common.flatMap((refs) => refs ?? []))], unread };
}

function effect(judging: Judging, cells: readonly Judged[]): LockEffect {
  const { lock, access } = judging;
  const places: Record<string, readonly string[]> = {};
  const open: Record<string, string> = {};
  let unpreventable: string | undefined;
  let unclear: string | undefined;
  for (const cell of cells) {
    if (cell.unread !== undefined) unclear ??= `setpoint cannot read ${cell.unread} as the service does`;
    const held = heldAt(access, cell, [...judging.ours]);
    const isHeld = lock.groups.every((group) => held.some((ref) => blockRule(access, ref, cell.permission, group)));
    const { options, isRefused } = optionsOf(access, cell, held);
    const isContested = cell.targets.length > 0;
    const now = isContested && isHeld ? openingIn(judging, cell, access.local) : undefined;
    const later = (option: readonly string[]) =>
      isContested ? openingIn(judging, cell, blocked(judging, cell, option)) : undefined;
    const [first = [cell.refs[0]]] = options;
    const chosen = options.find((option) => later(option) === undefined);
    places[cell.name] = chosen ?? first;
    const left = chosen === undefined ? later(first) : undefined;
    if (now?.grant.isSure) open[cell.name] = sentence(now, cell, lock);
    if (left?.grant.isSure) unpreventable ??= sentence(left, cell, lock);
    if (isRefused)
      unpreventable ??= `${cell.permission} on ${cell.refs[0]} has other rules, and the service accepts no other spelling`;
    const unsure = [now, left].find((opening) => opening?.grant.isSure === false);
    if (unsure !== undefined) unclear ??= `perhaps ${sentence(unsure, cell, lock)}`;
  }
  return { places, open, ...(unpreventable ? { unpreventable } : {}), ...(unclear ? { unclear } : {}) };
}

/**
 * Returns where the blocks of a cell can be: where they are, or under one spelling that has no other rules. The service refuses
 * an expression that without its end anchor matches what is no ref, such as `release/`; only if there is nowhere else do
 * blocks stay under one.
 */
function optionsOf(access: AccessMarker, { permission, refs }: Cell, held: readonly string[]) {
  const free = refs.filter((ref) => livePermission(access, ref, permission) === undefined);
  const accepted = held.filter((ref) => !refMistake(ref));
  const others = free.filter((ref) => !refMistake(ref)).map((ref) => [ref]);
  const options = [accepted, ...others, accepted.length < held.length ? held : []].filter(
    (option) => option.length > 0,
  );
  return { options, isRefused: options.length === 0 && free.length > 0 };
}

/** Returns the sections as they would be with the lock's blocks of a cell in these places and nowhere else. */
function blocked({ access, lock, ours }: Judging, cell: Cell, places: readonly string[]): AccessSections {
  const rule: AccessRuleInfo = { action: "BLOCK", force: isForced(cell, lock) };
  const blocks = Object.fromEntries(lock.groups.map((group) => [groupKey(access, group), rule]));
  const changed = cell.refs.map((ref) => {
    const live = livePermission(access, ref, cell.permission);
    const others = Object.entries(live?.rules ?? {}).filter(
      ([group, { action }]) => !(action === "BLOCK" && ours.has(group)),
    );
    const isOurs = others.length < Object.keys(live?.rules ?? {}).length;
    const isPlace = places.includes(ref);
    const permission: PermissionInfo = {
      exclusive: isPlace ? lock.exclusive : !isOurs && live?.exclusive === true,
      rules: { ...Object.fromEntries(others), ...(isPlace ? blocks : {}) },
    };
    const name = permissionName(access.local, ref, cell.permission);
    return [ref, { permissions: { ...access.local[ref]?.permissions, [name]: permission } }] as const;
  });
  return { ...access.local, ...Object.fromEntries(changed) };
}

function isForced({ on, permission }: Cell, { force }: BranchLock): boolean {
  return on === "branch" && permission === "push" && force;
}

/** Groups that every signed-in user is a member of. */
const everybody = ["global:Registered-Users", "global:Anonymous-Users"];
/** A group that matters only for submits, which depend on whose change it is. Gerrit: `ProjectControl.match`. */
const changeOwner = "global:Change-Owner";

function openingIn(judging: Judging, cell: Judged, local: AccessSections): Opening | undefined {
  const { ground, lock, access, names } = judging;
  const chain = ground.chain.map((project, index) => (index === 0 ? { ...project, local } : project));
  const candidates = new Set(
    chain.flatMap((project) =>
      Object.keys(project.local).flatMap((pattern) => allowedBy(permissionIn(project.local, pattern, cell.permission))),
    ),
  );
  if (cell.permission !== "submit") candidates.delete(changeOwner);
  const members = [[], ...[...candidates].map((group) => [group]), ...pairs([...candidates])];
  const openings = cell.targets.flatMap((ref) =>
    lock.groups.flatMap((group) =>
      members.flatMap((more): readonly (Opening & { readonly groups: readonly string[] })[] => {
        const locked = groupKey(access, group);
        const groups = new Set([...everybody, locked, ...more]);
        const attempt = { ref, permission: cell.permission, force: isForced(cell, lock), groups };
        const grant = grantOf({ ...ground, chain }, attempt);
        const who = (more.length > 0 ? more : [locked])
          .map((uuid) => names[uuid]?.name ?? uuid)
          .join(" who are also in ");
        return grant === undefined ? [] : [{ who, ref, grant, groups: more }];
      }),
    ),
  );
  const [first] = openings.toSorted(
    (a, b) => Number(b.grant.isSure) - Number(a.grant.isSure) || a.groups.length - b.groups.length,
  );
  if (first === undefined) return undefined;
  const alike = openings.filter(
    ({ ref, grant, groups }) =>
      ref === first.ref &&
      grant.project === first.grant.project &&
      grant.pattern === first.grant.pattern &&
      groups.length === first.groups.length,
  );
  return { ...first, who: [...new Set(alike.map(({ who }) => who))].join(", ") };
}

function pairs(groups: readonly string[]): readonly (readonly string[])[] {
  return groups.flatMap((group, index) => groups.slice(index + 1).map((other) => [group, other]));
}

/** Returns, for example, `Release Managers can push to main, because push on refs/heads/main is exclusive and allows it`. */
function sentence({ who, ref, grant }: Opening, { on, permission }: Cell, lock: BranchLock): string {
  const branch = ref.replace(/^(?:refs\/for\/)?refs\/heads\//, "");
  const deed = on === "uploads" ? `upload for review to ${branch}` : `${verbs[permission] ?? permission} ${branch}`;
  const where = grant.project === lock.project ? "" : ` of ${grant.project}`;
  const why = grant.exclusive ? "is exclusive and allows it" : "allows it";
  return `${who} can ${deed}, because ${permission} on ${grant.pattern}${where} ${why}`;
}

const verbs: Readonly<Record<string, string>> = {
  submit: "submit to",
  push: "push to",
  pushMerge: "push merges to",
  rebase: "rebase changes of",
  revert: "revert changes of",
};
