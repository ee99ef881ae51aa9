import { exampleOf, isRefName } from "../../core/text/ref-pattern.ts";
import { Refusal } from "../refusal.ts";

const permissions = new Set(
  [
    "abandon addPatchSet create createSignedTag createTag delete deleteChanges deleteOwnChanges editHashtags",
    "editTopicName forgeAuthor forgeCommitter forgeServerAsCommitter owner push pushMerge read rebase removeReviewer",
    "revert submit submitAs toggleWipState viewPrivateChanges",
  ].flatMap((names) => names.toLowerCase().split(" ")),
);

const capabilities = new Set(
  [
    "accessDatabase administrateServer batchChangesLimit createAccount createGroup createProject deleteGroup",
    "emailReviewers flushCaches killTask maintainServer modifyAccount priority queryLimit readAs runAs runGC",
    "streamEvents viewAccess viewAllAccounts viewCaches viewConnections viewPlugins viewQueue viewSecondaryEmails",
  ].flatMap((names) => names.toLowerCase().split(" ")),
);

/** Returns the label of a permission about votes, which can have a range; undefined for other permissions. */
export function labelOf(permission: string): string | undefined {
  return /^(?:label|labelAs|removeLabel)-(.+)$/.exec(permission)?.[1];
}

/** The section that has the global capabilities in place of permissions. */
export const capabilitiesSection = "GLOBAL_CAPABILITIES";

const limits = new Set(["querylimit", "batchchangeslimit"]);

/** Whether the service stores a range with the rules of a permission. @see docs/facts.md, review: a range */
export function hasRange(ref: string, permission: string): boolean {
  return ref === capabilitiesSection ? limits.has(permission.toLowerCase()) : labelOf(permission) !== undefined;
}

/** Whether the service stores the flag of a permission. @see docs/facts.md, review: capabilities have no flag */
export function hasFlag(ref: string, permission: string): boolean {
  return ref !== capabilitiesSection && permission !== "owner";
}

/** Whether the service knows a permission by this name. Case does not matter, and labels need not exist. Gerrit: `LabelType.checkName`. */
export function isPermission(name: string): boolean {
  return /^(?:label|labelAs|removeLabel)-(?!SUBM$|-)[A-Za-z0-9-]*$/.test(name) || permissions.has(name.toLowerCase());
}

/** Whether the service knows a global capability by this name. */
export function isCapability(name: string): boolean {
  return capabilities.has(name.toLowerCase());
}

/**
 * Throws `Refusal` 400 for an invalid name of an access section. A pattern is judged by its shortest example, so
 * `^refs/heads/.*` (shortest: `refs/heads/`) is refused and `^refs/heads/.+` is not.
 */
export function checkRefPattern(ref: string): void {
  if (!/^\^?refs\//.test(ref)) throw new Refusal(400, "invalid section name");
  if (ref !== "refs/*" && !isRefName(exampleOf(ref) ?? ""))
    throw new Refusal(400, `com.google.gerrit.exceptions.InvalidNameException: Invalid Name: ${ref}`);
}

/** Throws `Refusal` 500 for an invalid regular expression, as the real server does. */
export function requireExample(ref: string): void {
  if (ref.startsWith("^") && exampleOf(ref) === undefined) throw new Refusal(500);
}
