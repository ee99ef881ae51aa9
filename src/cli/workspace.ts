import { statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { allServices } from "../clients/find-service.ts";
import { type Problem, ProblemError } from "../core/problem.ts";
import { type Loaded, type LoadOptions, load } from "../manifests/load.ts";
import { diskFiles, type FileSource } from "../manifests/sources/files.ts";
import { kinds } from "../reconcilers/registry.ts";
import type { ManifestOptions } from "./options.ts";

/** The folder and the name of the workspace file that `--workspace` names. */
export interface WorkspacePath {
  readonly folder: string;
  readonly file: string;
}

/** Finds the workspace file: `path` is the file itself or the folder that holds `setpoint.yaml`. */
export function findWorkspace(path: string): WorkspacePath {
  const absolute = resolve(path);
  const isFile = statSync(absolute, { throwIfNoEntry: false })?.isFile() === true;
  return isFile ? { folder: dirname(absolute), file: basename(absolute) } : { folder: absolute, file: "setpoint.yaml" };
}

/** How to read what documents are repeated over; left out where no service may be asked. */
type Lists = Pick<LoadOptions, "readLiveList">;

/** Loads the workspace and its manifests as they are on disk. Problems are in the result; nothing is thrown for them. */
export async function loadFromDisk(options: ManifestOptions, lists: Lists = {}): Promise<Loaded> {
  return loadFrom(diskFiles(findWorkspace(options.workspace).folder), options, lists);
}

/** Loads the workspace and its manifests from other files than those on disk. */
export async function loadFrom(source: FileSource, options: ManifestOptions, lists: Lists = {}): Promise<Loaded> {
  const { file } = findWorkspace(options.workspace);
  return load({ ...variables(options), ...lists, source, kinds, types: allServices, workspaceFile: file });
}

/** Loads the workspace and its manifests as they were at a git ref. At a ref without a workspace, or without manifests,
 * nothing was declared. */
export async function loadFromGit(options: ManifestOptions, ref: string, lists: Lists = {}): Promise<Loaded> {
  const { gitFiles } = await import("../manifests/sources/git-files.ts");
  const { folder, file } = findWorkspace(options.workspace);
  try {
    const source = await gitFiles(folder, ref);
    const head = { ...variables(options), ...lists, source, kinds, types: allServices, workspaceFile: file };
    const loaded = await load({ ...head, policies: false });
    const problems = loaded.problems.filter(({ code }) => code !== "SP1013").map((problem) => atRef(problem, ref));
    return { ...loaded, problems };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return { workspace: undefined, resources: [], problems: error.problems, files: 0, unexpanded: 0 };
  }
}

function variables({ var: variables, values, environment }: ManifestOptions) {
  return { variables, values, ...(environment === undefined ? {} : { environment }) };
}

function atRef(problem: Problem, ref: string): Problem {
  return { ...problem, message: `At ${ref}: ${problem.message}` };
}
