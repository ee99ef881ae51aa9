import { realpathSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { type Problem, ProblemError, problemsOf } from "../core/problem.ts";
import type { Service } from "../core/service.ts";
import { didYouMean, quote } from "../core/text/words.ts";
import { type Loaded, type LoadOptions, load, nothingLoaded } from "../manifests/load.ts";
import { digestedOnce, type FileSource } from "../manifests/sources/files.ts";
import { readWorkspace } from "../manifests/workspace/read-workspace.ts";
import { isMissingVariables, type Naming } from "../manifests/workspace/variables.ts";
import { collect } from "../manifests/yaml/source-text.ts";

/** Returns the folder and the name of the workspace file: `path` is the file itself or the folder that holds `setpoint.yaml`. */
export function findWorkspace(path: string): { readonly folder: string; readonly file: string } {
  const absolute = resolve(path);
  const isFile = statSync(absolute, { throwIfNoEntry: false })?.isFile() === true;
  return isFile ? { folder: dirname(absolute), file: basename(absolute) } : { folder: absolute, file: "setpoint.yaml" };
}

/** Returns the folder of a workspace with links resolved, as paths of its files have it; unchanged if it does not exist. */
export function realFolder(folder: string): string {
  return statSync(folder, { throwIfNoEntry: false }) === undefined ? folder : realpathSync(folder);
}

/** How to read a workspace and its manifests, wherever they are. */
export type LoadInput = Pick<LoadOptions, keyof Naming | "variables" | "kinds" | "types">;

/** Returns the problems except that there are no manifests, which is not an error in a new workspace. */
export function besidesNoManifests(problems: readonly Problem[], reading: LoadInput): readonly Problem[] {
  return problems.filter((problem) => problem.code !== "SP1013" || isMissingVariables(problem, reading));
}

const leavingOut = "Leave out --base, and nothing is deleted; or name a base without this error.";

/**
 * Loads what was declared at a git ref, with the commit if the source of its files states it. At a ref without a workspace, without the environment or a file of values, or without
 * manifests, nothing was declared: an environment that did not exist has no defaults of its own.
 */
export async function loadBase(
  reading: LoadInput,
  ref: string,
  filesAt: (ref: string) => Promise<FileSource>,
  how: Pick<LoadOptions, "readLiveList" | "repeats" | "digests">,
): Promise<Loaded & { readonly commit: string | undefined }> {
  try {
    const files = await filesAt(ref);
    const { commit } = files;
    const loaded = await load({ ...reading, ...how, source: digestedOnce(files), policies: false });
    if (loaded.problems.some((problem) => isMissingVariables(problem, reading)))
      return { ...nothingLoaded([]), commit };
    const problems = loaded.problems
      .filter(({ code }) => code !== "SP1013")
      .map((problem) => ({
        ...problem,
        message: `At ${ref}: ${problem.message}`,
        // A commit cannot be corrected, but what a service answers can change.
        ...(problem.code.startsWith("SP1") && { hint: leavingOut }),
      }));
    return { ...loaded, problems, commit };
  } catch (error) {
    return { ...nothingLoaded(problemsOf(error)), commit: undefined };
  }
}

/** Reads the services of a workspace file, without its manifests. Throws `ProblemError` with the problems of the file. */
export async function readServices(reading: LoadInput, source: FileSource): Promise<readonly Service[]> {
  const { result, problems } = await collect((report) => readWorkspace({ ...reading, source }, report));
  const services = result?.workspace?.services;
  if (services === undefined || problems.length > 0) throw new ProblemError(...problems);
  return services;
}

/** Returns the service of this name. Throws `ProblemError` SP1009. */
export function serviceNamed(services: readonly Service[], name: string): Service {
  const service = services.find((one) => one.name === name);
  if (service !== undefined) return service;
  const names = services.map((one) => one.name);
  throw new ProblemError({
    code: "SP1009",
    message: `The workspace has no service ${quote(name)}.${didYouMean(name, names)}`,
    hint: names.length === 0 ? "It declares none." : `Its services: ${names.join(", ")}.`,
  });
}
