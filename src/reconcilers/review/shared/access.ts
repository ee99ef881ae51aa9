import { z } from "zod";
import type { AccessRuleInfo, PermissionInfo, ProjectAccess } from "../../../clients/review/access.ts";
import type { ReviewOperations, ReviewReader } from "../../../clients/review/operations.ts";
import { type CallOf, callOf } from "../../../core/call.ts";
import type { Writable } from "../../../core/change.ts";
import { onceForText } from "../../../core/once.ts";
import { type Problem, ProblemError } from "../../../core/problem.ts";
import { commitLine } from "../../../core/text/commit-message.ts";
import { defined, own, sameJson } from "../../../core/text/json.ts";
import { exampleOf, isRefName } from "../../../core/text/ref-pattern.ts";
import { literalPattern, quote, withoutEnd } from "../../../core/text/words.ts";
import { unclearIn } from "../../shared/told.ts";
import { isUserReached } from "./automaton.ts";
import { permissionIn, permissionName, permissionNamed } from "./permission-names.ts";

const call = callOf<ReviewOperations>();

/** A project's name. The service also knows `p` as `p.git` and `p/`. @see docs/facts.md, review: names of projects */
export const Project = z
  .string()
  .overwrite((name) => withoutEnd(name.endsWith(".git") ? name.slice(0, -".git".length) : name, "/"))
  .min(1)
  .describe("Name of the project.");

/**
 * Returns why the service would refuse a ref pattern; undefined if it accepts it. Kept, because locks ask for each spelling of
 * their refs again and again. @see docs/facts.md, review: ref patterns
 */
export const refMistake = onceForText(1024 * 1024, (pattern): string | undefined => {
  const example = exampleOf(pattern);
  if (example === undefined) return "expected a complete regular expression";
  if (pattern.startsWith("^") && !isUserReached(pattern))
    return "expected fixed text before the user's name: the service would no longer answer any request for the project";
  if (pattern === "refs/*" || isRefName(example)) return undefined;
  return `expected a pattern of refs, but the shortest name that it matches, ${quote(example)}, is not a ref`;
});

/** What a kind of project access keeps from the read for a write that might follow. */
export interface AccessMarker extends Pick<ProjectAccess, "local" | "groups"> {
  /** The project that it inherits from. */
  readonly parent?: string;
  /** What a person must do if the service accepts access rules only through review. */
  readonly byHand?: string;
  /** UUIDs, by name, of groups that manifests name but the rules do not. */
  readonly asked?: Readonly<Record<string, string>>;
  /** Names in manifests that match no group, each with a suggestion in words. */
  readonly missing?: Readonly<Record<string, string>>;
}

/** Returns the scope that all kinds of project access share, so that they are read once and written in one request. */
export function accessScope(project: string): string {
  return `access of ${project}`;
}

/**
 * Reads a project's own access rules.
 *
 * Throws a problem if the account may not see the configuration: the response then omits sections, which must not be
 * read as their absence.
 * @see docs/facts.md, review: without rights to read the configuration
 */
export async function readAccess(read: ReviewReader, project: string): Promise<AccessMarker> {
  const access = await read.getProjectAccess({ projectName: project });
  if (!access.is_owner && !access.config_visible)
    throw new ProblemError({
      code: "SP3004",
      operation: "getProjectAccess",
      message: "The account may not read the access rules of the project.",
      hint: "Give it read access to refs/meta/config of the project, or make it an owner.",
    });
  const { local, groups, inherits_from, require_change_for_config_update: isReviewed } = access;
  const byHand = `${project} accepts access rules only through review: upload this as a change of refs/meta/config.`;
  return { local, groups, ...(inherits_from && { parent: inherits_from.name }), ...(isReviewed && { byHand }) };
}

/** Returns the key of a group in live rules: its UUID if the server returned it, otherwise the name in the manifest. */
export function groupKey(access: AccessMarker, group: string): string {
  return namedGroup(access, group) ?? own(access.asked, group) ?? group;
}

/** Returns a group's UUID in live rules; not for a number, which the server reads as an id. @see docs/facts.md, review: how a group is named */
export function namedGroup(access: AccessMarker, group: string): string | undefined {
  if (Object.hasOwn(access.groups, group)) return group;
  if (/^\d*$/.test(group)) return undefined;
  return Object.entries(access.groups).find(([, { name }]) => name === group)?.[0];
}

/** Returns how a manifest names a live group: by its name if that is unambiguous, otherwise by its UUID. */
export function groupName(access: AccessMarker, uuid: string): string {
  const name = access.groups[uuid]?.name ?? "";
  // The server reads a number as a group's id. @see docs/facts.md, review: how a group is named
  if (uuid.startsWith("global:") || /^\d*$/.test(name)) return uuid;
  const others = Object.entries(access.groups).filter(([other]) => other !== uuid);
  return others.some(([other, group]) => other === name || group.name === name) ? uuid : name;
}

/** Returns a live permission. Throws `ProblemError` SP3103 if a part is not understood: the rest could mean the opposite. */
export function livePermission(access: AccessMarker, ref: string, permission: string): PermissionInfo | undefined {
  // Most spellings of a branch have no section.
  if (access.local[ref] === undefined) return undefined;
  const problem = strangePermission(access, ref, permission);
  if (problem !== undefined) throw new ProblemError(problem);
  return permissionIn(access.local, ref, permission);
}

/** Returns the problem if a part of a live permission, or of its section, is not understood. */
export function strangePermission(access: AccessMarker, ref: string, permission: string): Problem | undefined {
  const section = access.local[ref];
  const unclear = { ...section?.unclear, ...permissionNamed(section?.permissions, permission)?.unclear };
  return unclearIn(`${permission} on ${ref}`, "getProjectAccess", unclear);
}

/** Returns the rule that blocks a group, if there is one. */
export function blockRule(
  access: AccessMarker,
  ref: string,
  permission: string,
  group: string,
): AccessRuleInfo | undefined {
  const rule = own(livePermission(access, ref, permission)?.rules, groupKey(access, group));
  return rule?.action === "BLOCK" ? rule : undefined;
}

/**
 * Returns ref patterns that match only a branch, or only the branches of `^a pattern$`: as written, anchored, grouped, and
 * the last two without an end anchor, which are the most specific to the server.
 */
export function branchPatterns(prefix: string, branch: string): readonly [string, ...string[]] {
  const isPattern = branch.startsWith("^");
  const pattern = isPattern ? branch.slice(1, -1) : literalPattern(branch);
  const [plain, grouped] = [`^${prefix}${pattern}`, `^${prefix}(${pattern})`];
  if (!isPattern) return [`${prefix}${branch}`, `${plain}$`, `${grouped}$`, plain, grouped];
  // Without the group, alternatives would split the whole expression.
  return hasAlternatives(pattern) ? [`${grouped}$`, grouped] : [`${plain}$`, `${grouped}$`, plain, grouped];
}

/** Whether an expression has alternatives outside any group. */
function hasAlternatives(pattern: string): boolean {
  let depth = 0;
  for (const sign of pattern.replace(/\\.|\[\^?\]?[^\][]*\]|\[/g, "")) {
    if (sign === "|" && depth === 0) return true;
    if (sign === "(") depth++;
    if (sign === ")") depth = Math.max(0, depth - 1);
  }
  return false;
}

/** A permission and the ref patterns under which it can be; the first is preferred. */
export interface AccessSpot {
  readonly permission: string;
  readonly refs: readonly [string, ...string[]];
}

/** Returns the patterns that have blocks of the groups. */
export function heldAt(
  access: AccessMarker,
  { permission, refs }: AccessSpot,
  groups: readonly string[],
): readonly string[] {
  return refs.filter((ref) => groups.some((group) => blockRule(access, ref, permission, group)));
}

/** A permission as one resource wants it: rules to have, groups to drop the rules of, and the flag if it is managed. */
export interface PermissionWish {
  readonly ref: string;
  readonly permission: string;
  readonly rules: Readonly<Record<string, AccessRuleInfo>>;
  readonly drop: readonly string[];
  readonly exclusive?: boolean | undefined;
}

interface PermissionEdit {
  readonly remove?: PermissionInfo;
  readonly add?: PermissionInfo;
}

/** Makes the rules of one group comparable: the server may omit booleans that are false. */
export function plainRule({ action = "ALLOW", force = false, min = 0, max = 0 }: AccessRuleInfo) {
  return { action, force, ...(min === 0 && max === 0 ? {} : { min, max }) };
}

/**
 * Returns what to remove from and add to one live permission, or undefined if it is as desired.
 *
 * A changed rule is removed and added again, because an addition alone leaves the old rule beside the new one. The flag
 * `exclusive` takes effect only on a new permission, so changing it replaces the permission with all its rules. Every
 * addition repeats the flag, because a permission is new again after its last rule is removed; a flag that stays is added
 * again without rules. A removal always names rules, or has the empty set that means all: without `rules` the server deletes
 * the section.
 * @see docs/facts.md, review: writing access rules
 */
function editPermission(live: PermissionInfo | undefined, wish: PermissionWish): PermissionEdit | undefined {
  const rules = live?.rules ?? {};
  const changed = Object.entries(wish.rules).filter(([group, rule]) => {
    const now = own(rules, group);
    return now === undefined || !sameJson(plainRule(now), plainRule(rule));
  });
  const dropped = wish.drop.filter((group) => Object.hasOwn(rules, group) && !Object.hasOwn(wish.rules, group));
  const remaining = Object.fromEntries(
    Object.entries({ ...rules, ...wish.rules }).filter(([group]) => !dropped.includes(group)),
  );
  const removal = (groups: readonly string[]) => ({ rules: Object.fromEntries(groups.map((group) => [group, {}])) });
  const { exclusive = live?.exclusive } = wish;
  const isEmpty = Object.keys(remaining).length === 0;
  if (isEmpty && !exclusive) return live && { remove: removal(Object.keys(rules)) };
  const marks = defined({ label: live?.label, exclusive });
  if (live === undefined) return { add: { ...marks, rules: wish.rules } };
  if (exclusive !== undefined && exclusive !== (live.exclusive ?? false))
    return { remove: { rules: {} }, add: { ...marks, rules: remaining } };
  const gone = [...dropped, ...changed.map(([group]) => group).filter((group) => Object.hasOwn(rules, group))];
  if (gone.length === 0 && changed.length === 0) return undefined;
  return {
    ...(gone.length > 0 ? { remove: removal(gone) } : {}),
    ...(changed.length > 0 || isEmpty ? { add: { ...marks, rules: Object.fromEntries(changed) } } : {}),
  };
}

/** Returns what each wish removes from and adds to the live rules. */
export function editsOf(access: AccessMarker, wishes: readonly PermissionWish[]) {
  return wishes.map((stated) => {
    const wish = { ...stated, permission: permissionName(access.local, stated.ref, stated.permission) };
    return { wish, edit: editPermission(livePermission(access, wish.ref, wish.permission), wish) };
  });
}

/** Returns the one request that closes all changes of a project, or none if the live rules are as desired. */
export function modifyAccess<Spec extends { readonly project: string }, Marker extends AccessMarker>(
  changes: readonly Writable<Spec, Marker>[],
  describe: (change: Writable<Spec, Marker>) => string,
  wishesOf: (change: Writable<Spec, Marker>) => readonly PermissionWish[],
): readonly CallOf<ReviewOperations>[] {
  const [first] = changes;
  if (first === undefined) return [];
  const remove: Edits = {};
  const add: Edits = {};
  for (const { wish, edit } of editsOf(first.marker, changes.flatMap(wishesOf))) {
    if (edit?.remove !== undefined) setPermission(remove, wish, edit.remove);
    if (edit?.add !== undefined) setPermission(add, wish, edit.add);
  }
  const sections = {
    ...(Object.keys(remove).length > 0 ? { remove } : {}),
    ...(Object.keys(add).length > 0 ? { add } : {}),
  };
  if (Object.keys(sections).length === 0) return [];
  const { project } = first.action === "delete" ? first.live : first.desired;
  const message = changes.map((change) => commitLine(describe(change))).join("\n");
  const args = { projectName: project, ...sections, message };
  return [call("modifyProjectAccess", args, changes)];
}

type Edits = Record<string, { permissions: Record<string, PermissionInfo> }>;

function setPermission(sections: Edits, { ref, permission }: PermissionWish, content: PermissionInfo): void {
  sections[ref] ??= { permissions: {} };
  sections[ref].permissions[permission] = content;
}

/** Returns the names of a group in claims: as in the manifest and, if the access was read, its key in live rules. */
export function groupNames(access: AccessMarker | undefined, group: string): readonly string[] {
  return access === undefined ? [group] : [...new Set([group, groupKey(access, group)])];
}

/** Whether another resource now claims the rule of a group. */
export function isRuleKept(
  access: AccessMarker,
  kept: readonly string[],
  [project, ref, permission, group]: Parameters<typeof ruleClaim>,
): boolean {
  return groupNames(access, group).some((name) => kept.includes(ruleClaim(project, ref, permission, name)));
}

/** Returns the claim on one group's rule. */
export function ruleClaim(project: string, ref: string, permission: string, group: string): string {
  return `the rule of ${group} for ${permission.toLowerCase()} on ${ref} in ${project}`;
}

/** Returns the claim on a permission's `exclusive` flag. */
export function exclusiveClaim(project: string, ref: string, permission: string): string {
  return `the exclusive flag of ${permission.toLowerCase()} on ${ref} in ${project}`;
}

/** Returns the claims on the flag and on the groups' rules, under every pattern: the live rules decide which one is used. */
export function spotClaims(
  project: string,
  { permission, refs }: AccessSpot,
  groups: readonly string[],
): readonly string[] {
  return refs.flatMap((ref) => [
    exclusiveClaim(project, ref, permission),
    ...groups.map((group) => ruleClaim(project, ref, permission, group)),
  ]);
}
