import type { ReviewReader } from "../../../clients/review/operations.ts";
import { hasOnly, unlessMissing } from "../../../core/problem.ts";
import { didYouMean, quote } from "../../../core/text/words.ts";
import { type AccessMarker, editsOf, groupKey, namedGroup, type PermissionWish } from "./access.ts";

/** Groups that every server has but omits from its list; it also finds them by name. */
const systemNames = ["Anonymous Users", "Change Owner", "Project Owners", "Registered Users"] as const;
const systemGroups: ReadonlySet<string> = new Set(systemNames.map((name) => `global:${name.replaceAll(" ", "-")}`));

/**
 * Adds the groups that manifests name but the access rules do not: one read for each, and one more for suggestions if any
 * is missing. The server finds a group here as it does in a write.
 * @see docs/facts.md, review: how a group is named
 */
export async function withGroups(
  read: ReviewReader,
  access: AccessMarker,
  names: readonly string[],
): Promise<AccessMarker> {
  const asked = [...new Set(names)].filter((name) => !systemGroups.has(name) && namedGroup(access, name) === undefined);
  const found = await Promise.all(
    asked.map(async (name) => ({ name, group: await lookUp(read.getGroup({ groupId: name })) })),
  );
  const missing = found.filter(({ group }) => group === "missing").map(({ name }) => name);
  const others = missing.length === 0 ? "missing" : await lookUp(read.listGroups({}));
  const meant = [
    ...Object.values(access.groups).flatMap(({ name }) => name ?? []),
    ...(typeof others === "string" ? [] : Object.keys(others)),
    ...systemNames,
  ];
  return {
    ...access,
    asked: Object.fromEntries(
      found.flatMap(({ name, group }) => (typeof group === "string" ? [] : [[name, group.id] as const])),
    ),
    missing: Object.fromEntries(missing.map((name) => [name, didYouMean(name, meant)])),
  };
}

/**
 * Returns what a read beyond the API documents finds. `unasked` means that it is not sent under `wire: documented`, or that
 * the service refuses it: only the write will show whether the object exists.
 */
export async function lookUp<Result extends object>(read: Promise<Result>): Promise<Result | "missing" | "unasked"> {
  try {
    return (await unlessMissing(read)) ?? "missing";
  } catch (error) {
    if (hasOnly(error, "SP3007")) return "unasked";
    throw error;
  }
}

/** Returns the groups, each once, under the first name that stands for it. */
export function distinctGroups(access: AccessMarker, names: readonly string[]): readonly string[] {
  return [...new Map(names.toReversed().map((name) => [groupKey(access, name), name])).values()].toReversed();
}

/** Returns what a person must do about the groups of a manifest if one is missing, or two names stand for the same one. */
export function groupMistake(access: AccessMarker, names: readonly string[]): string | undefined {
  const missing = names.find((name) => Object.hasOwn(access.missing ?? {}, name));
  if (missing !== undefined)
    return `There is no group ${quote(missing)}, or the account may not see it.${access.missing?.[missing] ?? ""} If it was renamed, write its new name, or its UUID, which stays the same.`;
  const distinct = distinctGroups(access, names);
  const twin = names.find((name) => !distinct.includes(name));
  if (twin === undefined) return undefined;
  const first = distinct.find((name) => groupKey(access, name) === groupKey(access, twin)) ?? "";
  return `${quote(first)} and ${quote(twin)} are the same group: name it once.`;
}

/**
 * Returns what a person must do if a new flag would add the rule of a group again that the service no longer knows.
 * @see docs/facts.md, review: a group is named by UUID, an unknown one is 422
 */
export function ghostMistake(access: AccessMarker, wishes: readonly PermissionWish[]): string | undefined {
  const again = editsOf(access, wishes).flatMap(({ wish, edit }) =>
    Object.keys(edit?.add?.rules ?? {}).filter((group) => !Object.hasOwn(wish.rules, group)),
  );
  const ghost = again.find((group) => !Object.hasOwn(access.groups, group));
  return (
    ghost && `The service adds no rules of ${quote(ghost)}, a group that it does not know: remove its rules first.`
  );
}
