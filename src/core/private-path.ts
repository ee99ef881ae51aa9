import { posix } from "node:path";
import { withoutEnd } from "./words.ts";

/** Characters of a path that is read; systems open no longer ones, and resolving the `..` of those takes long. */
export const longestPath = 4096;

/** A path in the one spelling that all spellings of it on any file system share: letters of one case, and so on. */
export function foldedPath(path: string): string {
  return posix
    .normalize(path.replaceAll("\\", "/"))
    .normalize("NFKC")
    .replace(/\p{Cf}/gu, "")
    .toLowerCase()
    .split("/")
    .map((name) => (/^\.+$/.test(name) ? name : withoutEnd(name.split(":", 1).join(), ". ")))
    .join("/");
}

/**
 * The folder of git or of setpoint that a path leads into, if it does: what is there is never read for a manifest. Other
 * spellings that a file system takes for the same name count, such as `.GIT` and `git~1`.
 */
export function privateFolder(path: string): ".git" | ".setpoint" | undefined {
  if (!/git|setpoi|[^ -~]/i.test(path)) return undefined;
  const names = foldedPath(path).split("/");
  if (names.some((name) => name === ".git" || /^git~\d+$/.test(name))) return ".git";
  if (names.some((name) => name === ".setpoint" || /^setpoi~\d+$/.test(name))) return ".setpoint";
  return undefined;
}
