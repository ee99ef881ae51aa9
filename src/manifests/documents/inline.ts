import { posix } from "node:path";
import type { LocalFile } from "../../core/kind.ts";
import { ProblemError } from "../../core/problem.ts";
import { quote } from "../../core/words.ts";
import type { FileSource } from "../sources/files.ts";
import { maxFileSize, reasonOf } from "../yaml/read-text.ts";
import { problemAt, type Range } from "../yaml/source-text.ts";
import type { Tree } from "../yaml/tree.ts";
import type { Declaration } from "./documents.ts";

/** Files that one resource may name. */
const maxFiles = 1000;

/** A specification without names of files, and the files that were read for it: their texts by path. */
export interface Inlined {
  readonly spec: unknown;
  readonly contents: ReadonlyMap<string, string>;
}

/**
 * The specification with names of files replaced by their contents or checksums. The kind is asked again each time it
 * has named a file that was not read yet, because it reads as if all were there. Throws `ProblemError` with SP1017, and
 * what the kind throws, at the document.
 */
export async function inlined({ kind, spec, tree, at }: Declaration, files: FileSource): Promise<Inlined> {
  const contents = new Map<string, string>();
  if (kind.inline === undefined) return { spec, contents };
  const digests = new Map<string, LocalFile | undefined>();
  for (;;) {
    let missing: { readonly path: string; readonly read: () => Promise<unknown> } | undefined;
    const { file } = at.source;
    try {
      const whole = kind.inline(
        spec,
        (path) => {
          const text = contents.get(path);
          if (text !== undefined) return text;
          missing = { path, read: async () => contents.set(path, await textBeside(file, path, files)) };
          throw notYet;
        },
        (path) => {
          if (digests.has(path)) return digests.get(path);
          missing = { path, read: async () => digests.set(path, await files.digest(beside(file, path))) };
          throw notYet;
        },
      );
      return { spec: whole, contents };
    } catch (error) {
      if (missing === undefined) throw placed(error, at);
    }
    if (contents.size + digests.size >= maxFiles)
      throw new ProblemError(problemAt(at, "SP1017", `The document names more than ${maxFiles} files.`));
    const { path, read } = missing;
    await read().catch((error: unknown) => {
      const where = scalarWith(tree, path) ?? at;
      throw new ProblemError(problemAt(where, "SP1017", `${quote(path)} cannot be read: ${reasonOf(error)}.`));
    });
  }
}

const notYet = new Error("The file has not been read yet.");

/** The path of a file beside a manifest, in the workspace. Throws for one that leads out of it. */
function beside(manifest: string, path: string): string {
  const wanted = posix.join(posix.dirname(manifest), path);
  if (path.startsWith("/") || path.includes("\0") || path.includes("\\") || wanted.startsWith("../"))
    throw new Error("it is not below the folder of the workspace file");
  return wanted;
}

async function textBeside(manifest: string, path: string, files: FileSource): Promise<string> {
  const wanted = beside(manifest, path);
  if ((await files.size(wanted)) > maxFileSize) throw new Error("it is larger than 512 KiB");
  const bytes = await files.read(wanted);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error("it is not UTF-8 text");
  }
}

/** Where a text stands in a specification. */
function scalarWith(tree: Tree, text: string): Range | undefined {
  if (tree.is === "scalar") return tree.value === text ? tree : undefined;
  for (const entry of tree.entries) {
    const found = scalarWith("value" in entry && "key" in entry ? entry.value : entry, text);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A kind knows no places of manifests: its problems get that of the document. */
export function placed(error: unknown, at: Range): unknown {
  if (!(error instanceof ProblemError)) return error;
  return new ProblemError(
    ...error.problems.map((problem) => ({ ...problemAt(at, problem.code, problem.message), ...problem })),
  );
}
