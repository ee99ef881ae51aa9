import { posix } from "node:path";
import { pathPattern } from "../../core/text/glob.ts";
import { foldedPath, longestPath, privateFolder } from "../../core/text/private-path.ts";
import { grouped, quote } from "../../core/text/words.ts";
import type { FileSource } from "./files.ts";

/** Dotfiles that may be read, and other files that may not. */
export interface ReadRules {
  /** Globs of dotfiles that the workspace allows. */
  readonly dotfiles?: readonly string[];
  /** Dotfiles that the command line names. */
  readonly named?: readonly string[];
  /** Files that secrets are delivered to. */
  readonly sinks?: Iterable<string>;
}

/**
 * Restricts a source to the files that the manifests of a workspace may read, however they name them. No other place decides
 * this. Denied are paths outside the folder, the folders of git and setpoint, files that secrets are delivered to, and,
 * unless a rule allows them, dotfiles and files in folders whose name begins with a dot. The source handles links.
 */
export function readable(source: FileSource, rules: ReadRules): FileSource {
  const denied = deniedBy(rules);
  const allowed = async (path: string) => {
    const reason = denied(path);
    if (reason !== undefined) throw new Error(reason);
    return path;
  };
  return {
    async list(globs) {
      const found = await source.list(globs);
      // Left out, it would look deleted. At a commit, it never counted as declared.
      const odd = source.commit === undefined ? found.find((path) => strange.test(path)) : undefined;
      if (odd !== undefined)
        throw new Error(`${quote(odd)} is a path on some systems, and a name on others: rename it`);
      return found.filter((path) => denied(path) === undefined);
    },
    read: async (path) => source.read(await allowed(path)),
    size: async (path) => source.size(await allowed(path)),
    digest: async (path) => source.digest(await allowed(path)),
    check: async (path) => source.check(await allowed(path)),
  };
}

/** Matches what is not a path below a folder on every system. */
const strange = /^\/|^[a-z]:|[\\\0]/i;

export const tooLong = () => `it is longer than ${grouped(longestPath)} characters`;

/** Returns a function that says why a path is not read; undefined if it may be read. */
function deniedBy({ dotfiles = [], named = [], sinks = [] }: ReadRules): (path: string) => string | undefined {
  const isAllowed = pathPattern(dotfiles);
  const isNamed = new Set(named.map((path) => posix.normalize(path)));
  const secrets = new Set([...sinks].map(foldedPath));
  return (path) => {
    if (path.length > longestPath) return tooLong();
    const plain = posix.normalize(path);
    const names = plain.split("/");
    if (strange.test(path) || names[0] === "..") return "it is not below the folder of the workspace file";
    const folder = privateFolder(plain);
    if (folder !== undefined) return `it is in ${folder}, from which nothing is read`;
    if (secrets.size > 0 && secrets.has(foldedPath(plain))) return "a secret is delivered to it";
    if (!names.some((name) => name.startsWith(".")) || isNamed.has(plain) || isAllowed(plain)) return undefined;
    return "it is a dotfile or in a dot folder that the workspace file does not allow under files";
  };
}
