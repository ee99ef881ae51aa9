import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { World } from "../../../src/sandbox/world.ts";
import { type Answer, accounts, ask, basic, sandboxForTest } from "../asking.ts";

export const config = "<project>\n  <disabled>false</disabled>\n</project>";
const parameters = [
  { name: "BRANCH", default: "main" },
  { name: "CLEAN", default: false },
  { name: "CHANNEL", default: "beta", choices: ["beta", "stable"] },
];
const builds = [
  {
    number: 1,
    result: "SUCCESS",
    timestamp: 1_000,
    duration: 50,
    queueId: 3,
    parameters: { BRANCH: "it's", CLEAN: true },
  },
  { number: 2, timestamp: 2_000, parameters: { BRANCH: "main", NOTE: "main" } },
];

/** Starts a sandbox with a pipeline in a folder, a running job, a disabled job, and plugins; `more` replaces parts of it. */
export function ciSandbox(more: object = {}): Promise<Sandbox> {
  const jobs = {
    "a/b c": { parameters, builds },
    plain: { type: "freestyle", config, builds: [{ number: 5, timestamp: 1_000 }] },
    off: { config: config.replace("false", "true") },
  };
  const plugins = [
    { shortName: "git", longName: "Git", version: "5.6" },
    { shortName: "old", longName: "Old", version: "1" },
  ];
  const updates = { stable: "2.479.3", weekly: "2.492", plugins: { git: "5.7", fresh: "3" } };
  const startProperties = { "user.timezone": "UTC" };
  const ci = { jobs, plugins, updates, startProperties, startupRequests: 1, ...more };
  return sandboxForTest({ world: World.parse({ accounts, ci }) });
}

/** Sends a request, by default as Ada; anonymously if the name is empty. */
export function ci(
  sandbox: Sandbox,
  path: string,
  { username = "ada", ...init }: RequestInit & { readonly username?: string } = {},
): Promise<Answer> {
  const headers = new Headers(init.headers);
  if (username !== "") headers.set("authorization", basic(username, username.toUpperCase()));
  return ask(`${sandbox.services.ci.url}${path}`, { redirect: "manual", ...init, headers });
}

/** Returns the crumb of an account and its session, as header fields. */
export async function crumb(sandbox: Sandbox, username = "ada"): Promise<Record<string, string>> {
  const { text, headers } = await ci(sandbox, "/crumbIssuer/api/json", { username });
  const { crumbRequestField, crumb: value } = JSON.parse(text);
  return { [crumbRequestField]: value, cookie: (headers.get("set-cookie") ?? "").split(";")[0] ?? "" };
}

/** Posts a form with a fresh crumb. */
export async function post(
  sandbox: Sandbox,
  path: string,
  form: Record<string, string> = {},
  username = "ada",
): Promise<Answer> {
  const headers = await crumb(sandbox, username);
  return ci(sandbox, path, { method: "POST", headers, body: new URLSearchParams(form), username });
}

/** Returns the current builds of a job. */
export function buildsOf(sandbox: Sandbox, job: string): World["ci"]["jobs"][string]["builds"] {
  return sandbox.state().ci.jobs[job]?.builds ?? [];
}
