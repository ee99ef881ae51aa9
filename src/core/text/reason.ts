const reasons: ReadonlyMap<unknown, string> = new Map([
  ["ENOENT", "there is no such file"],
  ["ENOTDIR", "what should be a folder is a file"],
  ["EACCES", "permission denied"],
  ["EPERM", "permission denied"],
  ["ELOOP", "it is a link"],
  ["EISDIR", "it is a folder"],
  ["EROFS", "the file system is read-only"],
  ["ENOSPC", "no space is left on the device"],
  ["EDQUOT", "the quota of the disk is used up"],
  ["EMFILE", "too many files are open"],
  ["ENFILE", "too many files are open"],
  ["ERR_STRING_TOO_LONG", "it is too large"],
]);

/** Returns why a file could not be read, without its path, which might name this machine's folders. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // What V8 says about a string that is too long for it.
  if (error instanceof RangeError && error.message === "Invalid string length") return "it is too large";
  return "code" in error ? (reasons.get(error.code) ?? String(error.code)) : error.message;
}

/** Returns why a file could not be written: it need not exist, but its folder must. */
export function whyUnwritten(error: unknown): string {
  return hasCode(error, "ENOENT", "ENOTDIR") ? "there is no such folder" : reasonOf(error);
}

/** Returns what to do about a file that the system does not let this account use; nothing for any other error. */
export function accessHint(error: unknown): { readonly hint?: string } {
  return hasCode(error, "EACCES", "EPERM")
    ? { hint: "The account that runs setpoint needs access to it: check its owner and permissions, and its folder's." }
    : {};
}

/** Whether an error is one of Node's with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.some((code) => error.code === code);
}

/** Returns the message of an error; of anything else that was thrown, its text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
