import { spawn } from "node:child_process";
import { delimiter, isAbsolute, relative, sep } from "node:path";
import type { Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { ProblemError } from "../../core/problem.ts";
import { defined } from "../../core/text/json.ts";
import { hasCode, messageOf } from "../../core/text/reason.ts";

/** Variables by name, as in `process.env`. */
export type GitEnvironment = Readonly<Record<string, string | undefined>>;

/** The location of a repository and its work tree. Both paths are absolute and real. */
export interface RepositoryPlace {
  readonly gitDirectory: string;
  readonly workTree: string;
}

export interface GitCall {
  readonly args: readonly string[];
  readonly input?: string;
  /** Whether git may contact a remote, for a push or a fetch of refspecs that `args` name. */
  readonly remote?: boolean;
  /** Stops git. */
  readonly signal?: AbortSignal | undefined;
}

/** Runs git in a repository and returns what it prints. */
export type RunGit = (args: readonly string[], options?: Omit<GitCall, "args">) => Promise<Buffer>;

/**
 * Runs git in the given repository, without searching for one, and passes its output to `take`. Only the repository's own
 * configuration applies, and nothing in it can start a command or contact a remote. Throws `ProblemError` SP5002, or SP5003 once
 * the signal has stopped it.
 *
 * @see docs/decisions/git.md
 */
export async function runGit<T>(
  place: RepositoryPlace,
  env: GitEnvironment,
  { args, input = "", remote = false, signal }: GitCall,
  take: (output: Readable) => Promise<T>,
): Promise<T> {
  // A remote can be a path, which is relative to the work tree.
  const within = remote ? ["-C", place.workTree] : [];
  const child = spawn("git", [...within, "--literal-pathspecs", ...settings, ...args], {
    // A folder without files from a commit, because Windows searches it for the program.
    cwd: place.gitDirectory,
    env: { ...passedOn(env, place.workTree, remote), ...hermetic(place, remote) },
    stdio: "pipe",
    signal,
  });
  const ended = new Promise<number | string | null>((resolve, reject) =>
    child.once("error", reject).once("close", (code, killer) => resolve(code ?? killer)),
  );
  // git can stop before it has read its input; its exit code then says why.
  child.stdin.on("error", () => undefined).end(input);
  const [code, taken, stderr] = await Promise.all([ended, take(child.stdout), text(child.stderr)]).catch(
    (error: unknown) => {
      if (signal?.aborted === true)
        throw new ProblemError({ code: "SP5003", message: "The run was interrupted while git ran." });
      const hint = hasCode(error, "EACCES")
        ? `Let this account read ${place.gitDirectory} and run git.`
        : "Install git.";
      throw gitProblem(`git cannot be run: ${messageOf(error)}.`, hint);
    },
  );
  if (code !== 0) {
    const said = stderr.trim().split("\n").join(" ").replace(/\.$/, "");
    throw gitProblem(`git: ${said || `it ended with ${code}`}.`);
  }
  return taken;
}

/** Like `runGit`; returns everything that git prints. */
export function gitOutput(place: RepositoryPlace, env: GitEnvironment, call: GitCall): Promise<Buffer> {
  return runGit(place, env, call, buffer);
}

export function succeeds(call: Promise<unknown>): Promise<boolean> {
  return call.then(
    () => true,
    () => false,
  );
}

/** Whether a path is a folder or below it. Both are absolute. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

export function gitProblem(message: string, hint?: string): ProblemError {
  return new ProblemError(defined({ code: "SP5002", message, hint }));
}

/** The configuration that overrides the repository's, as arguments. */
const settings = Object.entries({
  "core.hooksPath": "/dev/null",
  "core.fsmonitor": "false",
  // A command that does not exist: nothing runs, and commands that would use it fail. Plumbing commands do not use it.
  "diff.external": "",
  "advice.graftFileDeprecated": "false",
  "maintenance.auto": "false",
  "fetch.recurseSubmodules": "false",
  "push.recurseSubmodules": "no",
}).flatMap(([name, value]) => ["-c", `${name}=${value}`]);

/** Returns the variables that always have the same values. */
function hermetic({ gitDirectory }: RepositoryPlace, remote: boolean): Readonly<Record<string, string>> {
  return {
    GIT_DIR: gitDirectory,
    // Without a work tree, git refuses to read or write files, which could run filters that attributes name.
    GIT_IMPLICIT_WORK_TREE: "0",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_GRAFT_FILE: "/dev/null",
    GIT_NO_LAZY_FETCH: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    // Unlike protocol.allow, protocol.<name>.allow cannot override it. Older versions do not know GIT_NO_LAZY_FETCH.
    GIT_ALLOW_PROTOCOL: remote ? "https:ssh:file" : "",
    LC_ALL: "C",
  };
}

/** Variables that git needs to start and to use temporary files. */
const needed = ["SYSTEMROOT", "TMPDIR", "TEMP", "TMP"] as const;

/** Variables that git needs to contact a remote as the user or the pipeline that runs it would. */
const neededForRemotes = `HOME USERPROFILE USER LOGNAME
  SSH_AUTH_SOCK SSH_AGENT_PID SSH_ASKPASS SSH_ASKPASS_REQUIRE DISPLAY
  GIT_ASKPASS GIT_SSH GIT_SSH_COMMAND GIT_SSH_VARIANT
  GIT_SSL_CAINFO GIT_SSL_CAPATH SSL_CERT_FILE SSL_CERT_DIR
  HTTPS_PROXY https_proxy ALL_PROXY all_proxy NO_PROXY no_proxy`.split(/\s+/);

function passedOn(env: GitEnvironment, workTree: string, remote: boolean): GitEnvironment {
  const names = remote ? [...needed, ...neededForRemotes] : needed;
  const given = names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return { ...Object.fromEntries(given), PATH: outsideOf(workTree, env.PATH ?? process.env.PATH ?? "") };
}

/** Returns the search path without folders of the work tree, such as `node_modules/.bin`: a pull request could put a git there. */
function outsideOf(workTree: string, path: string): string {
  return path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !isInside(workTree, folder))
    .join(delimiter);
}
