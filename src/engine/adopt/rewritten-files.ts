import { randomBytes } from "node:crypto";
import { chmod, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ProblemError } from "../../core/problem.ts";
import { accessHint, reasonOf } from "../../core/text/reason.ts";
import { type Manifest, openManifest, type Rewritten, rewriteDocument } from "../../manifests/rewrite/document.ts";
import { type Edit, withEdits } from "../../manifests/rewrite/page.ts";
import type { FileSource } from "../../manifests/sources/files.ts";
import { sourceText } from "../../manifests/yaml/source-text.ts";
import type { Group, Wishes } from "./wishes.ts";

/** A file with its text before and after. A byte order mark is part of both. */
export interface RewrittenFile {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

/** Rewrites documents; all else in their files stays byte for byte. Returns the groups with only the rewritten fields. */
export async function rewriteFiles(
  files: FileSource,
  groups: readonly Group[],
): Promise<Wishes & { readonly files: readonly RewrittenFile[] }> {
  const byFile = [...Map.groupBy(groups, ({ place }) => place.file)];
  const rewritten = await Promise.all(
    byFile.map(async ([file, inFile]) => {
      let documents: readonly (Rewritten & { readonly group: Group })[] = [];
      const rewrittenFile = await rewriteFile(files, file, (manifest) => {
        documents = inFile.map((group) => ({ group, ...rewriteDocument(manifest, group) }));
        return documents.flatMap((document) => document.edits);
      });
      return {
        file: rewrittenFile,
        groups: documents.flatMap(({ group, fields }) => (fields.length === 0 ? [] : [{ ...group, fields }])),
        refusals: documents.flatMap(({ group: { members }, refusals }) => {
          const { address } = members[0]?.resource ?? {};
          return address === undefined ? refusals : refusals.map((problem) => ({ ...problem, address }));
        }),
      };
    }),
  );
  return {
    files: rewritten.map(({ file }) => file).filter(({ before, after }) => before !== after),
    groups: rewritten.flatMap((one) => one.groups),
    refusals: rewritten.flatMap(({ refusals }) => refusals),
  };
}

/** Returns a file with edits made. */
export async function rewriteFile(
  files: FileSource,
  file: string,
  editsOf: (manifest: Manifest) => readonly Edit[],
): Promise<RewrittenFile> {
  const before = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await files.read(file));
  const mark = before.startsWith(byteOrderMark) ? byteOrderMark : "";
  const manifest = openManifest(sourceText(file, before.slice(mark.length)));
  return { file, before, after: `${mark}${withEdits(manifest.source.text, editsOf(manifest))}` };
}

const byteOrderMark = "\ufeff";

/** Returns a source in which rewritten files have their new texts. */
export function over(files: FileSource, rewritten: readonly RewrittenFile[]): FileSource {
  const bytes = new Map(rewritten.map(({ file, after }) => [file, new TextEncoder().encode(after)]));
  return {
    list: (globs) => files.list(globs),
    read: async (path) => bytes.get(path) ?? files.read(path),
    digest: (path) => files.digest(path),
    check: (path) => files.check(path),
    size: async (path) => bytes.get(path)?.length ?? files.size(path),
  };
}

/**
 * Replaces files with their new texts: each completely or not at all, with the mode of the old file. Before the first one is
 * replaced, all new texts are written beside their files, and all files are checked to be as they were read.
 *
 * Throws `ProblemError` SP4003 if a file was changed in the meantime, SP1017 if one cannot be replaced; no file is replaced then.
 */
export async function replaceFiles(folder: string, files: readonly RewrittenFile[]): Promise<void> {
  const written = files.map(({ file, ...texts }) => {
    const path = join(folder, file);
    return { ...texts, file, path, temporary: join(dirname(path), `.setpoint-${randomBytes(6).toString("hex")}.tmp`) };
  });
  try {
    for (const { file, path, temporary, after } of written) {
      try {
        const { mode } = await stat(path);
        await writeFile(temporary, after, { flag: "wx", flush: true });
        // The process's umask limits the mode of a new file.
        await chmod(temporary, mode);
      } catch (error) {
        const message = `${file} cannot be replaced: ${reasonOf(error)}.`;
        throw new ProblemError({ code: "SP1017", message, ...accessHint(error) });
      }
    }
    for (const { file, path, before } of written) {
      if ((await readFile(path)).equals(Buffer.from(before))) continue;
      const message = `${file} was changed meanwhile. Nothing was written.`;
      throw new ProblemError({ code: "SP4003", message, hint: "Run the command again." });
    }
    for (const { path, temporary } of written) await rename(temporary, path);
  } finally {
    await Promise.all(written.map(({ temporary }) => rm(temporary, { force: true })));
  }
}
