/**
 * A real Gerrit Code Review server for tests, started on a free loopback port from a copy of a site initialised once, and
 * removed when it stops or when the test process ends. What it runs comes from `gerrit-install.ts`.
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { editConfig, findGerrit, launcher, prepareSite, type Run, run } from "./gerrit-install.ts";
import { javaLocale } from "./releases.ts";

/** Runs the server until standard input closes (so also when the test process dies, in any way), then removes its site. */
export const GUARD = `exec 3<&0; site=$1; shift
"$@" 3<&- & java=$!; exec >/dev/null 2>&1
{ cat <&3; kill -9 $java; } &
wait $java; code=$?; rm -rf "$site"; exit $code`;

/** An account that signs in over HTTP, for REST and for Git. */
export interface Account {
  readonly id: number;
  readonly username: string;
  readonly password: string;
  readonly email: string;
}

/** An HTTP answer; `body` is the JSON behind the guard line, or undefined if the answer is not JSON. */
export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly body: unknown;
}

/** The account with which to call (`null`: anonymous; default: the administrator) and what to send: a JSON value or raw text. */
export interface CallOptions {
  readonly as?: Pick<Account, "username" | "password"> | null;
  readonly body?: unknown;
  readonly raw?: string;
  readonly contentType?: string;
}

/** Returns a port of this machine on which nothing listens. */
export function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const server = createServer().once("error", fail);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => done(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

export { findGerrit } from "./gerrit-install.ts";

/** Starts a server with an empty site (`All-Projects`, `All-Users`, the account `admin`); throws with its log if it fails. */
export async function startGerrit(timeoutMs = 1_100_000): Promise<Gerrit> {
  const found = await findGerrit();
  if (!found.available) throw new Error(found.why);
  const template = await prepareSite(found);
  const site = mkdtempSync(join(tmpdir(), "setpoint-gerrit-"));
  cpSync(template, site, { recursive: true });
  const url = `http://127.0.0.1:${await freePort()}`;
  editConfig(site, { "http://localhost:8080/": `${url}/`, "http://*:8080/": `${url}/` });
  const command = launcher(found, site, "daemon", "-d", site, "--headless", "--console-log");
  const env = { ...process.env, ...javaLocale };
  const child = spawn("sh", ["-c", GUARD, "sh", site, ...command], { stdio: ["pipe", "pipe", "pipe"], env });
  const ended = once(child, "exit");
  let log = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      log = (log + text).slice(-20_000);
    });
  }
  const stop = async (): Promise<void> => {
    child.stdin.end();
    await ended;
  };
  const ready = AbortSignal.timeout(timeoutMs);
  while (child.exitCode === null && !ready.aborted) {
    const answer = await fetch(`${url}/config/server/version`, { signal: ready }).catch(() => undefined);
    if (answer?.ok) return new Gerrit(url, site, stop);
    await delay(25);
  }
  await stop();
  throw new Error(`Gerrit did not become ready in ${timeoutMs} ms:\n${log}`);
}

/** A running server. Failing set-up (accounts, projects, groups, commits) throws; calls, pushes and Git return what they got. */
export class Gerrit {
  /** The root of the service, without a final slash. */
  readonly url: string;
  /** The account that initialisation creates, a member of Administrators. */
  readonly admin: Account = { id: 1_000_000, username: "admin", password: "secret", email: "admin@example.com" };
  /** Stops the server and removes its directory. */
  readonly stop: () => Promise<void>;
  readonly #site: string;

  constructor(url: string, site: string, stop: () => Promise<void>) {
    this.url = url;
    this.stop = stop;
    this.#site = site;
  }

  /** Makes one REST call; `path` starts with a slash and is sent as written (the caller percent-encodes and adds `/a`). */
  async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const headers = new Headers();
    const as = options.as === undefined ? this.admin : options.as;
    if (as !== null) headers.set("authorization", basic(as));
    const sent = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    if (sent !== undefined) headers.set("content-type", options.contentType ?? "application/json; charset=UTF-8");
    const init: RequestInit = { method, headers, redirect: "manual", ...(sent === undefined ? {} : { body: sent }) };
    const answer = await fetch(this.url + path, init);
    const text = await answer.text();
    const json = text.startsWith(")]}'\n") ? text.slice(5) : undefined;
    const body: unknown = json === undefined || json === "" ? undefined : JSON.parse(json);
    return { status: answer.status, type: answer.headers.get("content-type") ?? "", text, body };
  }

  async #must(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    const answer = await this.call(method, path, { body });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return Object(answer.body);
  }

  /** Creates an account with an HTTP password, a member of the named groups (besides Registered Users). */
  async createAccount(username: string, groups: readonly string[] = []): Promise<Account> {
    const account = { username, password: randomUUID(), email: `${username}@example.com` };
    const body = { name: username, email: account.email, http_password: account.password, groups };
    const made = await this.#must("PUT", `/a/accounts/${encodeURIComponent(username)}`, body);
    return { id: Number(made._account_id), ...account };
  }

  /** Creates a visible group and returns its UUID; members are user names. */
  async createGroup(name: string, members: readonly string[] = []): Promise<string> {
    const body = { visible_to_all: true, members };
    return String((await this.#must("PUT", `/a/groups/${encodeURIComponent(name)}`, body)).id);
  }

  /** Creates a project with one empty commit on each branch. */
  async createProject(name: string, branches: readonly string[] = ["master"], parent = "All-Projects"): Promise<void> {
    const body = { create_empty_commit: true, branches, parent };
    await this.#must("PUT", `/a/projects/${encodeURIComponent(name)}`, body);
  }

  /** Runs Git in `directory` as the account, without the user's own configuration; it never asks for credentials. */
  git(directory: string, as: Account, ...args: string[]): Promise<Run> {
    const settings = { "http.extraHeader": `Authorization: ${basic(as)}`, "init.defaultBranch": "master" };
    const env: NodeJS.ProcessEnv = { HOME: this.#site, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
    for (const who of ["AUTHOR", "COMMITTER"]) {
      env[`GIT_${who}_NAME`] = as.username;
      env[`GIT_${who}_EMAIL`] = as.email;
    }
    for (const [index, [key, value]] of Object.entries(settings).entries()) {
      env[`GIT_CONFIG_KEY_${index}`] = key;
      env[`GIT_CONFIG_VALUE_${index}`] = value;
    }
    env.GIT_CONFIG_COUNT = String(Object.keys(settings).length);
    return run("git", args, directory, { ...env, GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" });
  }

  /** Clones a project as the account, with `branch` checked out, and returns the directory, which is removed with the server. */
  async clone(project: string, as: Account, branch = "master"): Promise<string> {
    const directory = mkdtempSync(join(this.#site, "clone-"));
    const from = `${this.url}/a/${project.split("/").map(encodeURIComponent).join("/")}`;
    const result = await this.git(directory, as, "clone", "-q", "-b", branch, from, ".");
    if (result.code !== 0) throw new Error(`clone ${project}: ${result.stderr}`);
    return directory;
  }

  /** Commits files (path → text) with a Change-Id and returns that id. */
  async commit(
    directory: string,
    as: Account,
    subject: string,
    files: Readonly<Record<string, string>>,
  ): Promise<string> {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), text);
    }
    const changeId = `I${(randomUUID() + randomUUID()).replaceAll("-", "").slice(0, 40)}`;
    await this.git(directory, as, "add", "-A");
    const result = await this.git(directory, as, "commit", "-q", "-m", `${subject}\n\nChange-Id: ${changeId}`);
    if (result.code !== 0) throw new Error(`commit: ${result.stdout}${result.stderr}`);
    return changeId;
  }

  /** Pushes HEAD to a ref (`refs/heads/x`, `refs/for/x`); the code is 0 if accepted, and `stderr` has the server's reason if not. */
  push(directory: string, as: Account, ref: string, ...options: string[]): Promise<Run> {
    return this.git(directory, as, "push", ...options, "origin", `HEAD:${ref}`);
  }

  /** Returns the commits of a project's configuration (`refs/meta/config`), newest first: whole message and hash. */
  async configLog(project: string): Promise<{ readonly commit: string; readonly message: string }[]> {
    const text = await this.#bare(project, "log", "--format=%H%x00%B%x01", "refs/meta/config");
    const records = text.split("\x01").map((record) => record.trim().split("\0"));
    return records.flatMap(([commit, message]) => (commit ? [{ commit, message: (message ?? "").trim() }] : []));
  }

  /** Returns the stored text of a file of a project's configuration, by default `project.config`. */
  configFile(project: string, file = "project.config"): Promise<string> {
    return this.#bare(project, "show", `refs/meta/config:${file}`);
  }

  async #bare(project: string, ...args: string[]): Promise<string> {
    const repository = join(this.#site, "git", `${project}.git`);
    const result = await run("git", ["-c", "safe.directory=*", `--git-dir=${repository}`, ...args]);
    if (result.code !== 0) throw new Error(`${project}: ${result.stderr}`);
    return result.stdout;
  }
}

function basic(account: Pick<Account, "username" | "password">): string {
  return `Basic ${Buffer.from(`${account.username}:${account.password}`).toString("base64")}`;
}
