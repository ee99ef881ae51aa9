import { dirname, posix } from "node:path";
import { withoutEnd } from "./words.ts";

/** The longest path that is read, in characters. No system opens a longer one, and resolving the `..` in it takes long. */
export const longestPath = 4096;

/** Returns a path in one spelling that all its spellings on any file system share: letters of one case, and so on. */
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
 * The folder of git or of setpoint that a path is in, if any: its files are never read for a manifest. Other spellings
 * that a file system treats as the same name count, such as `.GIT` and `git~1`.
 */
export function privateFolder(path: string): ".git" | ".setpoint" | undefined {
  if (!/git|setpoi|[^ -~]/i.test(path)) return undefined;
  const names = foldedPath(path).split("/");
  if (names.some((name) => name === ".git" || /^git~\d+$/.test(name))) return ".git";
  if (names.some((name) => name === ".setpoint" || /^setpoi~\d+$/.test(name))) return ".setpoint";
  return undefined;
}

/** A folder and all those above it, the innermost first. */
export function upwards(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...upwards(above)];
}
