/**
 * The tour: real commands over real HTTP on a sandbox with a small invented company. Exits with 0 if every command
 * did what the tour says. `--keep` leaves the sandbox running and says how to continue manually. `--program <file>` starts that
 * executable for each command, instead of the sources.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { parseArgs, styleText } from "node:util";
import { environmentFor } from "../src/sandbox/server/environment.ts";

const workspace = "examples/tour";
const preferredPort = 4780;
const {
  values: { keep, program },
} = parseArgs({ options: { keep: { type: "boolean", default: false }, program: { type: "string" } } });
const [file, ...first] = program === undefined ? [process.execPath, "src/cli/main.ts"] : [program];

const port = (await isFree(preferredPort)) ? preferredPort : 0;
const sandbox = spawn(file, [...first, "sandbox", "--json", "--port", String(port)], {
  stdio: ["ignore", "pipe", "inherit"],
});
process.once("exit", () => sandbox.kill());
const [ready]: string[] = await Promise.race([
  once(createInterface({ input: sandbox.stdout }), "line"),
  once(sandbox, "exit").then(() => Promise.reject(new Error("The sandbox did not start."))),
]);
const { url }: { readonly url: string } = JSON.parse(ready ?? "{}");
const options = ["--workspace", workspace, ...(port === preferredPort ? [] : ["--var", `port=${new URL(url).port}`])];
const credentials = environmentFor(url);

say(`The sandbox stands in for a company's services, from code review to the wiki, at ${url}.
Credentials come from the environment, each bound to its service's address.`);

say("The manifests declare what the services should look like. Are they valid?");
await setpoint("validate", [], 0);
say("What would change? A plan only reads: its connection cannot write.");
await setpoint("plan", [], 0);
say("Make the calls of the plan, and no others; then read again what they touched.");
await setpoint("apply", ["--yes"], 0);
say("Plan again: nothing is left to do.");
await setpoint("plan", [], 0);

say("Meanwhile, someone unlocks a branch and someone else edits the wiki.");
await unlockByHand();
await editByHand();
say("At night, drift shows what changed without a manifest, and exits with 2.");
await setpoint("drift", [], 2);
say("The manifests are what the team agreed on: apply restores it.");
await setpoint("apply", ["--yes"], 0);
await setpoint("drift", [], 0);

if (keep) {
  const exports = Object.entries(credentials).map(([name, value]) => `  export ${name}=${value}`);
  say("The sandbox runs until you press Ctrl-C. To continue on your own, paste this into another terminal:");
  // Without a # in front.
  console.log(`\n${exports.join("\n")}\n  npm run -s setpoint -- plan ${options.join(" ")}\n`);
  say(`Edit ${workspace}/manifests, plan and apply; ${url}/_sandbox/requests lists the requests.`);
  process.once("SIGINT", () => sandbox.kill());
  await once(sandbox, "exit");
} else {
  say("That was the tour. To continue on your own: npm start -- --keep");
  sandbox.kill();
}

/** Prints a command, runs it, and stops the tour if its exit code is not the expected one. */
async function setpoint(command: string, more: readonly string[], expected: number): Promise<void> {
  console.log(styleText("bold", `$ setpoint ${[command, ...options, ...more].join(" ")}`));
  const running = spawn(file, [...first, command, ...options, ...more], {
    stdio: "inherit",
    env: { ...process.env, ...credentials },
  });
  const [code] = await once(running, "exit");
  console.log();
  if (code === expected) return;
  console.error(`The tour expected exit code ${expected} and got ${code}.`);
  process.exit(1);
}

/** Removes a rule of the lock on platform/ui, as an administrator would in the review service. */
async function unlockByHand(): Promise<void> {
  const ref = "refs/heads/release-2.4";
  const body = { remove: { [ref]: { permissions: { push: { rules: {} } } } }, message: "Just this once" };
  await request("POST", "/review/a/projects/platform%2Fui/access", body);
}

/** Changes a date in the release calendar, as an editor would in the wiki. */
async function editByHand(): Promise<void> {
  const path = "/wiki/rest/api/content/48213";
  const page = await request("GET", `${path}?expand=body.storage,version,ancestors`);
  const { title, version, ancestors, body }: Page = JSON.parse(page);
  const value = body.storage.value.replace("15 March", "22 March");
  await request("PUT", path, {
    type: "page",
    title,
    version: { number: version.number + 1 },
    // Without its parent, the page would move to the top of its space.
    ancestors: ancestors.slice(-1),
    body: { storage: { value, representation: "storage" } },
  });
}

interface Page {
  readonly title: string;
  readonly version: { readonly number: number };
  readonly ancestors: readonly { readonly id: string }[];
  readonly body: { readonly storage: { readonly value: string } };
}

async function request(method: string, path: string, body?: object): Promise<string> {
  if (body !== undefined) console.log(styleText("bold", `$ curl -X ${method} ${url}${path} …`));
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Basic ${btoa("admin:secret")}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${await answer.text()}`);
  return answer.text();
}

function say(text: string): void {
  console.log(styleText("cyan", text.replaceAll(/^/gm, "# ")));
}

async function isFree(candidate: number): Promise<boolean> {
  const server = createServer();
  const free = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false)).listen(candidate, "127.0.0.1", () => resolve(true));
  });
  if (free) await new Promise((resolve) => server.close(resolve));
  return free;
}
