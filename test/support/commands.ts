import { type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../src/sandbox/sandbox.ts";
import { environmentFor } from "../../src/sandbox/server/environment.ts";
import { type OpenOptions, type OpenWorkspace, openWorkspace } from "../../src/setpoint.ts";
import { program } from "./program.ts";
import { runWarm } from "./warm/warm.ts";

const root = join(import.meta.dirname, "../..");
/** The folder in which Node caches compiled code, shared by all processes. */
const compiled = join(root, ".cache/compiled");
/** The folder for locks, apart from those of the person who runs the tests. */
const state = join(root, ".cache/state");

type Environment = Readonly<Record<string, string | undefined>>;

/** A command that ended. `code` is null if a signal ended it. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface CommandOptions {
  readonly env?: Environment;
  readonly cwd?: string;
  /** The program to run; by default the one built from these sources. */
  readonly main?: string;
  /** A command that runs the one that follows it, such as `nice`. */
  readonly within?: readonly string[];
}

/** Starts a command as users do: in a process, with piped output. It sees only the given variables. */
export function start(
  args: readonly string[],
  options: CommandOptions = {},
): ChildProcessByStdio<null, Readable, Readable> {
  const [command = "", ...words] = [...(options.within ?? []), process.execPath, options.main ?? program, ...args];
  return spawn(command, words, {
    cwd: options.cwd ?? root,
    env: environmentOf(options),
    stdio: ["ignore", "pipe", "pipe"],
  });
}

function environmentOf({ env }: CommandOptions): Environment {
  return { PATH: process.env.PATH, NODE_COMPILE_CACHE: compiled, XDG_STATE_HOME: state, ...env };
}

/** Waits until a started command ends, and returns everything it printed. */
export async function ended(command: ChildProcessByStdio<null, Readable, Readable>): Promise<Ended> {
  const [out, err] = await Promise.all([text(command.stdout), text(command.stderr), once(command, "close")]);
  return { code: command.exitCode, out, err };
}

/** Runs a command to its end, with no input; @see test/support/warm/warm.ts. */
export async function setpoint(args: readonly string[], options: CommandOptions = {}): Promise<Ended> {
  const { cwd = root, main, within } = options;
  const given = Object.entries(environmentOf(options));
  const env = Object.fromEntries(given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  // A test with a compile cache of its own is about what a new process compiles.
  const isOwn = main !== undefined || within !== undefined || options.env?.NODE_COMPILE_CACHE !== undefined;
  return (isOwn ? undefined : await runWarm({ args, cwd, env })) ?? ended(start(args, options));
}

/** A running `setpoint sandbox`. */
export interface Serving extends AsyncDisposable {
  readonly url: string;
  /** The first line that it printed, parsed. */
  readonly ready: unknown;
  /** Sends a request as the administrator. */
  request(method: string, path: string, body?: string): Promise<Response>;
  /** Ends it as `kill` does, and returns its exit code. */
  stop(): Promise<number | null>;
}

/** Starts `setpoint sandbox` and waits until it is ready. */
export async function serve(args: readonly string[], options: CommandOptions = {}): Promise<Serving> {
  const command = start(["sandbox", "--json", ...args], options);
  const ready: { readonly url: string } = JSON.parse(await firstLine(command.stdout));
  const end = ended(command);
  const stop = async () => {
    command.kill("SIGTERM");
    return (await end).code;
  };
  return {
    url: ready.url,
    ready,
    stop,
    request: (method, path, body) =>
      fetch(`${ready.url}${path}`, {
        method,
        headers: {
          authorization: path.startsWith("/hosting/") ? "Bearer secret" : `Basic ${btoa("admin:secret")}`,
          "content-type": "application/json",
        },
        ...(body === undefined ? {} : { body }),
      }),
    async [Symbol.asyncDispose]() {
      await stop();
    },
  };
}

async function firstLine(stream: Readable): Promise<string> {
  for await (const line of createInterface({ input: stream })) return line;
  throw new Error("The command ended without a line.");
}

/** A temporary folder, which is removed with everything in it. */
export interface Folder extends AsyncDisposable {
  readonly path: string;
  write(file: string, content: string): Promise<void>;
}

export async function temporaryFolder(): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), "setpoint-cli-"));
  return {
    path,
    async write(file, content) {
      await mkdir(dirname(join(path, file)), { recursive: true });
      await writeFile(join(path, file), content);
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true }),
  };
}

/** A server on a free port. */
export interface Listening extends AsyncDisposable {
  readonly server: Server;
  readonly url: string;
}

export async function listen(respond: RequestListener): Promise<Listening> {
  const server = createServer(respond).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("The server has no port.");
  return {
    server,
    url: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A workspace on disk with its own sandbox and an administrator's credentials. */
export interface Desk extends Folder {
  readonly sandbox: Sandbox;
  readonly env: Readonly<Record<string, string>>;
  /** Runs a command in the workspace's folder. Replaces in `out` what differs from run to run. */
  run(args: readonly string[], env?: Environment): Promise<Ended>;
  /** Runs a command on a pseudo-terminal and types; only if `hasTerminals`. */
  type(args: readonly string[], typed: string): Promise<Omit<Ended, "err">>;
  /** Opens the workspace within this process. */
  open(options?: OpenOptions): OpenWorkspace;
}

/** Whether this machine has util-linux's script, which makes pseudo-terminals. */
export const hasTerminals = spawnSync("script", ["-qec", "true", "/dev/null"], { stdio: "ignore" }).status === 0;

/** Opens a desk. `manifests` is the text of its only manifest; `settings` are added to the workspace file. */
export async function openDesk(
  manifests: string,
  options: { readonly settings?: string; readonly sandbox?: SandboxOptions } = {},
): Promise<Desk> {
  const sandbox = await startSandbox(options.sandbox);
  const folder = await temporaryFolder();
  const env = { ...environmentFor(sandbox.url), XDG_STATE_HOME: state };
  await folder.write("setpoint.yaml", `${workspaceText(sandbox.url)}${options.settings ?? ""}`);
  await folder.write("manifests/all.yaml", manifests);
  return {
    ...folder,
    sandbox,
    env,
    async run(args, more = {}) {
      const { code, out, err } = await setpoint(args, { cwd: folder.path, env: { ...env, ...more } });
      return { code, out: lasting(out, sandbox.url), err };
    },
    async type(args, typed) {
      const terminal = spawn("script", ["-qec", [process.execPath, program, ...args].join(" "), "/dev/null"], {
        cwd: folder.path,
        env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: compiled, ...env, NO_COLOR: "1" },
        stdio: ["pipe", "pipe", "ignore"],
      });
      terminal.stdin.write(typed);
      const [out] = await Promise.all([text(terminal.stdout), once(terminal, "close")]);
      return { code: terminal.exitCode, out };
    },
    open: (more = {}) => openWorkspace({ path: folder.path, env, ...more }),
    async [Symbol.asyncDispose]() {
      await sandbox.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Returns a workspace file for all services of a sandbox. */
export function workspaceText(url: string): string {
  return `version: 1
services:
  review: { type: gerrit, url: "${url}/review", limits: { timeout: 2m } }
  hosting: { type: github, url: "${url}/hosting", limits: { timeout: 2m } }
  analysis: { type: klocwork, url: "${url}/analysis", limits: { timeout: 2m } }
  wiki: { type: confluence, url: "${url}/wiki", limits: { timeout: 2m } }
`;
}

/** Replaces the URL (by one of the same width), the run and the times. */
function lasting(out: string, url: string): string {
  return out
    .replaceAll(url, "http://sandbox.example")
    .replace(/Run \S+, journal in\s+\S+\.jsonl\./, "Run …, journal in ….")
    .replaceAll(/\d+\.\d s$/gm, "0.0 s");
}

/** Returns a manifest of a locked branch. */
export function lock(project: string, branch: string, more = ""): string {
  return `---\nkind: BranchLock\n${more}spec: { project: ${project}, branch: ${branch} }\n`;
}

/** Returns a manifest that switches the workflows of a repository on or off. */
export function workflows(repo: string, enabled: boolean): string {
  return `---\nkind: ActionsPermission\nspec: { org: meridian-kites, repo: ${repo}, enabled: ${enabled} }\n`;
}
