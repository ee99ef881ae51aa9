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

/** Whether a permission is about votes, and so has a range. */
export function labelOf(permission: string): string | undefined {
  return /^(?:label|labelAs|removeLabel)-(.+)$/.exec(permission)?.[1];
}

/** Whether the service knows a permission of this name; case does not matter, labels need not exist. */
export function isPermission(name: string): boolean {
  return labelOf(name) !== undefined || permissions.has(name.toLowerCase());
}

/** Whether the service knows a global capability of this name. */
export function isCapability(name: string): boolean {
  return capabilities.has(name.toLowerCase());
}
