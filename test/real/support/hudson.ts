import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort, GUARD } from "./gerrit.ts";
import { openShim } from "./header-shim.ts";
import { findHudson, hudsonCommand } from "./hudson-install.ts";
import { javaLocale } from "./releases.ts";
import { describeWithServer } from "./shared-server.ts";

/** The account of the tests; like every signed-in user it has full control. */
export const admin = { username: "admin", password: "secret" } as const;

/** How to send a request: by default with GET, without a body and as the administrator. A POST carries a crumb. */
export interface Asking {
  readonly method?: "GET" | "POST";
  readonly body?: string;
  readonly type?: string;
  readonly password?: string;
  readonly crumb?: string;
}

export interface Answer {
  readonly status: number;
  /** The media type. */
  readonly type: string;
  readonly text: string;
  readonly location: string;
}

/** A CI server, real or not, as someone other than setpoint uses it. */
export interface CiServer {
  readonly url: string;
  ask(path: string, asking?: Asking): Promise<Answer>;
}

export function ciServer(url: string): CiServer {
  const signedIn = (password: string) => `Basic ${Buffer.from(`${admin.username}:${password}`).toString("base64")}`;

  async function ask(path: string, asking: Asking = {}): Promise<Answer> {
    const { method = "GET", body, type = "application/x-www-form-urlencoded", password = admin.password } = asking;
    // The server labels its answers to malformed requests as compressed although they are not.
    const headers = new Headers({ authorization: signedIn(password), "accept-encoding": "identity" });
    if (body !== undefined) headers.set("content-type", type);
    if (method === "POST") {
      const issued = await fetch(`${url}/crumbIssuer/api/json`, {
        headers: { authorization: signedIn(admin.password) },
      });
      const { crumbRequestField, crumb } = JSON.parse(await issued.text());
      headers.set(crumbRequestField, asking.crumb ?? crumb);
    }
    const init: RequestInit = { method, headers, redirect: "manual", ...(body === undefined ? {} : { body }) };
    const answer = await fetch(url + path, init);
    return {
      status: answer.status,
      type: (answer.headers.get("content-type") ?? "").split(";")[0] ?? "",
      text: await answer.text(),
      location: answer.headers.get("location") ?? "",
    };
  }
  return { url, ask };
}

/** A real server behind the shim. What a test prepares throws if the server refuses it. */
export interface Hudson extends CiServer {
  /** Creates a job with this configuration. */
  createJob(name: string, config: string): Promise<void>;
  /** Runs a script in the server's console and returns what it printed. */
  script(text: string): Promise<string>;
  stop(): Promise<void>;
}

/** Returns a set-up script: a private realm with one account, full control once signed in, the default crumb issuer, no quiet period. */
function setUp(url: string): string {
  return `
def server = hudson.model.Hudson.instance
server.slaveAgentPort = -1
server.quietPeriod = 0
hudson.tasks.Mailer.descriptor().setHudsonUrl('${url}/')
def realm = new hudson.security.HudsonPrivateSecurityRealm(false)
realm.createAccount('${admin.username}', '${admin.password}')
server.securityRealm = realm
server.authorizationStrategy = new hudson.security.FullControlOnceLoggedInAuthorizationStrategy()
server.crumbIssuer = new hudson.security.csrf.DefaultCrumbIssuer(false)
server.save()
println 'ready'`;
}

/** Starts a server without jobs; throws with its log if it fails. */
async function startHudson(): Promise<Hudson> {
  if (!found.available) throw new Error(found.why);
  const home = mkdtempSync(join(tmpdir(), "setpoint-hudson-"));
  const [backend, port] = [await freePort(), await freePort()];
  const command = hudsonCommand(found, home, backend);
  const env = { ...process.env, ...javaLocale, HUDSON_HOME: home };
  const child = spawn("sh", ["-c", GUARD, "sh", home, ...command], { stdio: ["pipe", "pipe", "pipe"], env });
  const ended = once(child, "exit");
  let log = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      log = (log + text).slice(-20_000);
    });
  const own = `http://127.0.0.1:${backend}`;
  const isReady = () =>
    fetch(`${own}/api/json`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (child.exitCode === null && !(await isReady())) await delay(100);
  const url = `http://127.0.0.1:${port}`;
  const prepared = await fetch(`${own}/scriptText`, {
    method: "POST",
    body: new URLSearchParams({ script: setUp(url) }),
  }).then((answer) => answer.text(), String);
  if (prepared.trim() !== "ready") {
    child.stdin.end();
    throw new Error(`Hudson did not become ready: ${prepared}\n${log}`);
  }
  const closeShim = await openShim(port, backend);
  const server = ciServer(url);

  async function must(path: string, asking: Asking): Promise<string> {
    const { status, text } = await server.ask(path, { method: "POST", ...asking });
    if (status >= 300) throw new Error(`${path}: ${status} ${text}`);
    return text;
  }
  return {
    ...server,
    createJob: async (name, body) => {
      await must(`/createItem?name=${encodeURIComponent(name)}`, { body, type: "application/xml" });
    },
    script: (text) => must("/scriptText", { body: `script=${encodeURIComponent(text)}` }),
    async stop() {
      await closeShim();
      child.stdin.end();
      await ended;
    },
  };
}

const found = await findHudson();

/** Tests that share one CI server. */
export function describeWithHudson(title: string, tests: (hudson: () => Hudson) => void): void {
  describeWithServer(title, found, startHudson, tests);
}
