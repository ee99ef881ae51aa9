import { constants, existsSync } from "node:fs";
import { access, lstat, readFile, realpath, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type Problem, ProblemError, type Wrong } from "../core/problem.ts";
import { privateFolder, upwards } from "../core/text/private-path.ts";
import { reasonOf } from "../core/text/reason.ts";
import { merged } from "../manifests/new-workspace/merge.ts";
import type { NewFile } from "../manifests/new-workspace/new-files.ts";
import { replaceFiles } from "./adopt/rewritten-files.ts";
import { makeFolder } from "./own-files.ts";

/** A file, and what happens to it. */
export interface PreparedFile {
  readonly file: string;
  readonly is: "created" | "extended" | "kept";
}

/** The files of a workspace, in memory until they are written. */
export interface PreparedWorkspace {
  readonly is: "prepared";
  readonly files: readonly PreparedFile[];
  /** Writes new and extended files. Throws `ProblemError`: SP1017 if a file cannot be written, SP4003 if one has changed. */
  write(): Promise<void>;
}

/** The contents of a file before and after; `before` is undefined if the file does not exist. */
interface Change {
  readonly file: string;
  readonly before: string | undefined;
  readonly after: string;
}

/** Returns why a path cannot be the folder of a workspace: it is a file, git's own folder, or not writable. */
export async function folderProblems(folder: string): Promise<readonly Problem[]> {
  const wanted = resolve(folder);
  const nearest = upwards(wanted).find(existsSync) ?? wanted;
  const inside = privateFolder(wanted) ?? privateFolder(await realpath(nearest));
  if (inside !== undefined) {
    const hint = "Name a folder of the working tree.";
    return [{ code: "SP1017", message: `A workspace cannot be in ${inside}.`, hint }];
  }
  if (!(await stat(nearest)).isDirectory())
    return [{ code: "SP1017", message: `${nearest} is a file, not a folder.`, hint: "Name a folder." }];
  try {
    await access(nearest, constants.W_OK);
    return [];
  } catch {
    const hint = "Name another folder, or change its permissions.";
    return [{ code: "SP1017", message: `The folder ${nearest} cannot be written to.`, hint }];
  }
}

/**
 * Prepares the files of a workspace in a folder that may have some already. `folders` are created too; they end with a slash.
 * Reports SP1017 and SP1001 for files that nothing can be added to.
 */
export async function prepareWorkspace(
  folder: string,
  wanted: readonly NewFile[],
  folders: readonly string[],
): Promise<PreparedWorkspace | Wrong> {
  const looked = await Promise.all(wanted.map((file) => look(folder, file)));
  const needed = new Set([
    ...wanted.map(({ path }) => dirname(path)),
    ...folders.map((path) => path.replace(/\/$/, "")),
  ]);
  const inTheWay = await Promise.all([...needed].map((path) => unlessFolder(folder, path)));
  const problems = [...inTheWay.flat(), ...looked.flatMap((one) => ("problems" in one ? one.problems : []))];
  if (problems.length > 0) return { is: "wrong", problems };
  const changes = looked.filter((one) => "after" in one);
  return {
    is: "prepared",
    files: [
      ...changes.map(({ file, before, after }) => ({ file, is: fateOf(before, after) })),
      ...folders.map((file) => ({
        file,
        is: existsSync(join(folder, file)) ? ("kept" as const) : ("created" as const),
      })),
    ],
    write: () => write(folder, changes, folders),
  };
}

/** Returns the problem of a path that must be a folder and is a file or a dangling link. */
async function unlessFolder(folder: string, path: string): Promise<readonly Problem[]> {
  const there = await lstat(join(folder, path)).catch(() => undefined);
  const reached = there && (await stat(join(folder, path)).catch(() => there));
  if (reached === undefined || reached.isDirectory()) return [];
  return [
    { code: "SP1017", message: `${path} is not a folder, so nothing can be written in it.`, hint: "Move it away." },
  ];
}

function fateOf(before: string | undefined, after: string): PreparedFile["is"] {
  if (before === undefined) return "created";
  return before === after ? "kept" : "extended";
}

async function look(folder: string, wanted: NewFile): Promise<Change | { readonly problems: readonly Problem[] }> {
  const { path: file, content } = wanted;
  const there = await lstat(join(folder, file)).catch(() => undefined);
  if (there === undefined) return { file, before: undefined, after: content };
  if (!there.isFile()) {
    const message = `${file} is not a regular file, so it is left alone.`;
    return { problems: [{ code: "SP1017", message, hint: "Move it away." }] };
  }
  try {
    const before = await readFile(join(folder, file), "utf8");
    return { file, before, after: merged(wanted, before) };
  } catch (error) {
    if (error instanceof ProblemError) return { problems: error.problems };
    return { problems: [{ code: "SP1017", message: `${file} cannot be read: ${reasonOf(error)}.` }] };
  }
}

async function write(folder: string, changes: readonly Change[], folders: readonly string[]): Promise<void> {
  try {
    const extended = changes.flatMap(({ file, before, after }) =>
      before === undefined || before === after ? [] : [{ file, before, after }],
    );
    await replaceFiles(folder, extended);
    for (const path of folders) makeFolder(join(folder, path));
    for (const { file, before, after } of changes) {
      if (before !== undefined) continue;
      makeFolder(dirname(join(folder, file)));
      await writeFile(join(folder, file), after, { flag: "wx" });
    }
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    throw new ProblemError({ code: "SP1017", message: `The workspace cannot be written: ${reasonOf(error)}.` });
  }
}
