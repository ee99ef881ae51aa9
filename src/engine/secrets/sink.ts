import { spawn } from "node:child_process";
import { hash } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { parseEnv } from "node:util";
import type { Environment } from "../../clients/credentials/credentials.ts";
import { ProblemError } from "../../core/problem.ts";
import { Secret } from "../../core/secret.ts";
import { execProblem, type OpenSink, type Sink } from "../../core/sink.ts";
import { privateFolder, upwards } from "../../core/text/private-path.ts";
import { reasonOf } from "../../core/text/reason.ts";
import { isInside } from "../../manifests/sources/git-process.ts";
import { readOwnFile } from "../own-files.ts";
import { openDotenv, openSecretFile } from "./sink-file.ts";

/**
 * Opens a sink, which ensures that it can store a secret before there is one. Throws `ProblemError`: SP2002 for a command if
 * commands are not allowed, SP1017 for a file that cannot be written.
 */
export type SinkOpener = (sink: Sink) => OpenSink | Promise<OpenSink>;

export interface SinkSettings {
  /** The folder of the workspace file. */
  readonly folder: string;
  readonly allowExec: boolean;
  /** The environment. It says where locks are kept. Commands get all of it except setpoint's own variables, which hold credentials. */
  readonly env: Environment;
  /** Ends a running command. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds after which a command is ended. The default is a minute. */
  readonly patience?: number;
}

/** Returns a function that opens the sinks of a workspace. */
export function sinkOpener(settings: SinkSettings): (sink: Sink) => Promise<OpenSink> {
  const { folder, allowExec, env } = settings;
  return async (sink) => {
    if ("file" in sink) return openSecretFile(inside(folder, sink.file));
    if ("dotenv" in sink) return openDotenv(inside(folder, sink.dotenv), sink.name, env);
    if (!allowExec) throw new ProblemError(execProblem(sink));
    return openCommand(sink.command, sink.check, settings);
  };
}

/** Returns the secret that a sink holds now; undefined if it holds none, or none that can be read and sent. */
export type ReadHeld = (sink: Sink) => Promise<Secret | undefined>;

/** The largest file, in bytes, that is read as a sink: more than any has. */
const largest = 1_048_576;

/** Returns a function that reads the sinks of a workspace. Commands are run only if that is allowed. */
export function heldReader(settings: SinkSettings): ReadHeld {
  return async (sink) => {
    try {
      const text = await textIn(sink, settings);
      // A text that no header can carry, or that is the SHA-256 of a secret, cannot be used to sign in.
      return text !== undefined && /^[\x21-\x7e]{1,16384}$/.test(text) && !/^[0-9a-f]{64}$/i.test(text)
        ? new Secret(text)
        : undefined;
    } catch (error) {
      if (error instanceof ProblemError || (error instanceof Error && "code" in error)) return undefined;
      throw error;
    }
  };
}

async function textIn(sink: Sink, settings: SinkSettings): Promise<string | undefined> {
  if ("command" in sink) return settings.allowExec ? keptBy(sink.check, settings) : undefined;
  // Only a file as a delivery leaves it: the content of one that others can read came from somewhere else, and goes nowhere.
  const path = inside(settings.folder, "file" in sink ? sink.file : sink.dotenv);
  const content = readOwnFile(path, { largest, others: "excluded" })?.toString("utf8");
  return "file" in sink ? content?.replace(/\r?\n$/, "") : parseEnv(content ?? "")[sink.name];
}

/** Returns the path of a file below the folder. Throws `ProblemError` SP1017 if a link on the way leads out of it, or to git's own files. */
function inside(folder: string, path: string): string {
  const target = join(folder, path);
  const above = upwards(dirname(target)).find(existsSync) ?? folder;
  const [root, real] = [realpathSync(folder), realpathSync(above)];
  if (isInside(root, real) && privateFolder(relative(root, real)) === undefined) return target;
  throw new ProblemError({
    code: "SP1017",
    message: `${path} leads out of the folder of the workspace file or into .git or .setpoint, so no secret is written there.`,
    hint: "Name a file below that folder, or deliver to a command.",
  });
}

function withoutCredentials(env: SinkSettings["env"]): SinkSettings["env"] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("SETPOINT_")));
}

/** Characters of a check's output that are read: more than any token has. */
const longestAnswer = 65_536;

type Words = readonly string[];

/** Opens a sink of two commands: one stores the secret, the other prints what is stored. Neither's output is ever shown. */
function openCommand(command: Words, check: Words, settings: SinkSettings): OpenSink {
  return {
    async put(secret) {
      const text = secret.reveal();
      await run(command, text, settings);
      const kept = await keptBy(check, settings);
      const digest = hash("sha256", text);
      if (kept !== text && kept.toLowerCase() !== digest)
        throw undelivered(check, "printed neither the secret nor its SHA-256");
    },
  };
}

/** Returns what a check command prints as the stored secret. Throws `ProblemError` SP4005 if it fails. */
async function keptBy(check: Words, settings: SinkSettings): Promise<string> {
  return (await run(check, "", settings)).trim();
}

/** Runs a command with an input, and returns what it prints. Throws `ProblemError` SP4005 if it fails. */
function run(words: Words, input: string, settings: SinkSettings): Promise<string> {
  const { folder, env, signal, patience = 60_000 } = settings;
  const [program = "", ...args] = words;
  const late = AbortSignal.timeout(patience);
  const over = signal === undefined ? late : AbortSignal.any([signal, late]);
  const ended = new Promise<string>((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: folder,
      env: withoutCredentials(env),
      stdio: ["pipe", "pipe", "ignore"],
      // The terminal sends Ctrl-C to its whole process group. A delivery under way must finish first.
      detached: true,
    });
    // Also what the command has started in the background: as long as that runs, it can hold the output open.
    const end = () => {
      killGroup(child.pid);
      child.stdout.destroy();
    };
    over.addEventListener("abort", end);
    child.on("error", reject);
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      if (out.length < longestAnswer) out += chunk;
    });
    // A program that ends without reading its input is judged by its exit code.
    child.stdin.on("error", () => {});
    child.on("close", (code, signal) => {
      over.removeEventListener("abort", end);
      if (code === 0) resolve(out);
      else if (late.aborted) reject(undelivered(words, `did not end within ${patience / 1000} seconds`));
      else reject(undelivered(words, `ended with ${code ?? signal}`));
    });
    child.stdin.end(input);
    if (over.aborted) end();
  });
  // For some programs that cannot be started Node emits an event, for others it throws.
  return ended.catch((error: unknown) => {
    throw error instanceof ProblemError ? error : undelivered(words, `did not start: ${reasonOf(error)}`);
  });
}

function killGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, "SIGKILL");
  } catch {
    // All of them have ended.
  }
}

function undelivered([program]: Words, reason: string): ProblemError {
  return new ProblemError({
    code: "SP4005",
    message: `The new secret was not stored: the command ${program} ${reason}.`,
    hint: "Run the command manually. Its output is not shown, because it may be the secret.",
  });
}
