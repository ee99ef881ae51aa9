import { join } from "node:path";
import { expect, test } from "vitest";
import { program } from "../../src/cli/program.ts";
import { ProblemError } from "../../src/core/problem.ts";
import { defaultWorld } from "../../src/sandbox/default-world.ts";
import { environmentFor } from "../../src/sandbox/server/environment.ts";
import { World } from "../../src/sandbox/world.ts";
import { openWorkspace } from "../../src/setpoint.ts";
import { listen, openDesk, serve, temporaryFolder, workspaceText } from "../support/commands.ts";
import { commitAll } from "../support/git.ts";
import { document } from "../support/manifest.ts";
import { filesBelow } from "../support/tokens.ts";

/** Secrets that resemble nothing else, with characters that encodings change. */
const password = `k4nary "9Zq" <&> 'pa+ss/w=rd'%`;
const initial = "k4nary-initial: 7Xw+/=&<ü>";

/** The forms in which a secret can come back in an answer. */
const encodings: Readonly<Record<string, (secret: string) => string>> = {
  plain: (secret) => secret,
  "upper case": (secret) => secret.toUpperCase(),
  JSON: (secret) => JSON.stringify(secret).slice(1, -1),
  "JSON in JSON": (secret) => JSON.stringify(JSON.stringify(secret)).slice(3, -3),
  "a URL": encodeURIComponent,
  "a form": (secret) => new URLSearchParams({ "": secret }).toString().slice(1),
  base64: (secret) => Buffer.from(secret).toString("base64").replace(/=+$/, ""),
  base64url: (secret) => Buffer.from(secret).toString("base64url"),
  "base64 with a name": (secret) => Buffer.from(`admin:${secret}`).toString("base64").replace(/=+$/, ""),
  hexadecimal: (secret) => Buffer.from(secret).toString("hex"),
  HTML: (secret) => secret.replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`),
  "HTML with names": (secret) => secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
};

function expectNone(text: string, secrets: readonly string[], where: string): void {
  const found = secrets.flatMap((secret) =>
    Object.entries(encodings)
      .filter(([, encode]) => text.includes(encode(secret)))
      .map(([name]) => `${where} has ${secret} as ${name}`),
  );
  expect(found).toEqual([]);
}

const tokenManifest = document(
  "PersonalToken",
  { description: "canary", validFor: 3, deliver: { file: "secrets/canary" } },
  { service: "wiki" },
);
const manifests = [
  tokenManifest,
  document("AnalysisUser", { name: "newcomer", password: "${env:CANARY_INITIAL}" }),
  document("WikiPage", { id: "48213", body: { storage: "<p>wanted</p>" } }, { service: "wiki" }),
].join("");

/** Stands for the newest run that has a journal. */
const newest = "<run>";

/** One file in each format. */
const reportsTo = (name: string) =>
  ["text", "json", "markdown", "html", "junit", "sarif", "github", "csv"].flatMap((format) => [
    "--report",
    `${format}=${name}.${format}`,
  ]);
const [reports, merged] = [reportsTo("report"), reportsTo("merged")];

/** The arguments of every command, by its full name; `sandbox` and the commands that take a service have their own. */
const runs: Readonly<Record<string, readonly (readonly string[])[]>> = {
  validate: [["--json"]],
  plan: [
    ["--all", "--out", "plan.json", "--log", "json"],
    ["--json", "--log", "text"],
    ["--base", "HEAD", "--affected", "--all", "--log", "json"],
    ["--shard", "1/2", "--report", "json=1.json", "--log", "text"],
    ["--shard", "2/2", "--report", "json=2.json"],
  ],
  report: [["plan.json", "--all", ...reports]],
  "report merge": [["1.json", "2.json", "--all", "--history", "merged", ...merged]],
  init: [["--yes"]],
  ack: [["hosting/*", "--until", "2099-01-01", "--reason", "later", "--dry-run"]],
  history: [["--history", "kept"]],
  fmt: [["--check"]],
  graph: [[]],
  drift: [["--quiet", "--log", "json", "--history", "kept", "--metrics", "metrics.prom"]],
  apply: [
    ["plan.json", "--json", "--log", "json", ...reports],
    ["--yes", "--log", "text"],
  ],
  runs: [["--json"], [newest]],
  revert: [[newest, "--yes", "--log", "json"]],
  import: [["analysis", "--json", "--log", "json"]],
  adopt: [["--dry-run", "--log", "json"]],
  call: [
    ["wiki", "getCurrentUser", "--log", "json"],
    ["analysis", "users", "--log", "text"],
  ],
  doctor: [["--json", "--log", "json"]],
  kinds: [["--json"]],
  explain: [["PersonalToken"]],
  completion: [["bash", "--", "plan", "--only", ""]],
  // The contents of a queue and the output of its workers are checked on a real Redis.
  worker: [],
  queue: [],
  sandbox: [],
};

/** The commands that send nothing here, of which Node logs nothing: to start each of them costs as much as to run all of them. */
const silent = new Set([
  "validate",
  "report",
  "report merge",
  "history",
  "fmt",
  "graph",
  "runs",
  "kinds",
  "explain",
  "completion",
]);

test("every command that exists is run here", () => {
  expect(Object.keys(runs).sort()).toEqual(
    program("", async () => {})
      .commands.flatMap((command) => [
        command.name(),
        ...command.commands.map((nested) => `${command.name()} ${nested.name()}`),
      ])
      .sort(),
  );
});

/** A world whose administrator signs in with the canary. */
function worldWithCanary(): World {
  const { accounts, ...world } = defaultWorld();
  return World.parse({
    ...world,
    accounts: accounts.map((account) => (account.username === "admin" ? { ...account, secret: password } : account)),
  });
}

test("no command shows a secret, in its output, its journal, its files or what NODE_DEBUG adds", async () => {
  await using desk = await openDesk("", { sandbox: { world: worldWithCanary() } });
  commitAll(desk.path, "Nothing declared");
  await desk.write("manifests/all.yaml", manifests);
  const env = {
    ...environmentFor(desk.sandbox.url, { username: "admin", secret: password }),
    CANARY_INITIAL: initial,
  };
  // What Node logs depends on what is sent, not on how it is shown, so each command that sends logs it once, in its own process.
  const told = { ...env, NODE_DEBUG: "setpoint,http,https,net,tls,undici,fetch" };
  const printed: string[] = [];
  const codes = new Map<string, number>();
  for (const [command, lines] of Object.entries(runs))
    for (const [index, words] of lines.entries()) {
      const run = words.includes(newest) ? (desk.open().runs()[0]?.run ?? "") : "";
      const sent = desk.sandbox.requests().length;
      const { code, out, err } = await desk.run(
        [...command.split(" "), ...words.map((word) => (word === newest ? run : word))],
        index === 0 && !silent.has(command) ? told : env,
      );
      if (silent.has(command)) expect(desk.sandbox.requests(), command).toHaveLength(sent);
      codes.set(command, Math.max(code ?? 9, codes.get(command) ?? 0));
      printed.push(`$ ${command} ${words.join(" ")}\n${out}\n${err}`);
    }
  // A command that fails immediately would have nothing to hide.
  expect(Object.fromEntries(codes)).toMatchObject({ validate: 0, apply: 0, import: 0, call: 0, kinds: 0, explain: 0 });
  // A revert leaves the new token to a person.
  expect(Object.fromEntries(codes)).toMatchObject({
    plan: 0,
    report: 0,
    "report merge": 0,
    runs: 0,
    revert: 2,
  });
  const { accounts: _theirs, ...state } = desk.sandbox.state();
  const made = state.wiki.tokenPlugin.tokens
    .filter(({ description }) => description === "canary")
    .map(({ secret }) => secret);
  expect(made).toHaveLength(1);
  const secrets = [password, initial, ...made];
  for (const text of printed) expectNone(text, secrets, text.split("\n", 1)[0] ?? "");
  const files = Object.entries(filesBelow(desk.path)).filter(([path]) => path !== "secrets/canary");
  expect(files.map(([path]) => path)).toContainEqual(expect.stringMatching(/^\.setpoint\/runs\/.*\.jsonl$/));
  expect(files.find(([path]) => path === "plan.json")?.[1]).toContain("CANARY_INITIAL");
  for (const [path, content] of files) expectNone(content, secrets, path);
});

test("a sandbox writes no secret of its callers into its log", async () => {
  await using folder = await temporaryFolder();
  await using sandbox = await serve(["--log", join(folder.path, "log")], { cwd: folder.path });
  const authorization = `Basic ${Buffer.from(`admin:${password}`).toString("base64")}`;
  await fetch(`${sandbox.url}/wiki/rest/api/user/current?token=${encodeURIComponent(password)}`, {
    headers: { authorization },
  });
  const { log = "" } = filesBelow(folder.path);
  expect(log).toContain("/rest/api/user/current");
  expectNone(log + JSON.stringify(sandbox.ready), [password], "the log");
});

test("a secret that a service repeats, in any form, is never shown", async () => {
  await using folder = await temporaryFolder();
  const spoken = (text: string) =>
    Object.values(encodings)
      .map((encode) => encode(text))
      .join(" and ");
  for (const status of [400, 401, 404, 500, 200]) {
    await using echo = await listen((request, response) => {
      const { authorization = "" } = request.headers;
      const known = authorization.replace(/^\w+ /, "");
      const decoded = Buffer.from(known, "base64").toString("utf8");
      const message = `You sent ${authorization}: ${spoken(password)}; ${decoded}`;
      const location = { location: `/login?as=${encodeURIComponent(password)}` };
      response.writeHead(status, { "content-type": "application/json", ...location });
      response.end(
        JSON.stringify({ message, errorMessages: [message], errors: [{ message }], status, [message]: message }),
      );
    });
    await folder.write("setpoint.yaml", workspaceText(echo.url).replaceAll("timeout: 2m", "attempts: 1"));
    await folder.write("manifests/all.yaml", manifests);
    const env = {
      ...environmentFor(echo.url, { username: "admin", secret: password }),
      CANARY_INITIAL: initial,
      SETPOINT_QUEUE: echo.url.replace("http://", `redis://:${encodeURIComponent(password)}@`),
    };
    const workspace = openWorkspace({ path: folder.path, env });
    const wiki = await workspace.service("wiki");
    const planned = async () => {
      const made = await workspace.plan();
      if (made.is === "wrong") throw new ProblemError(...made.problems);
      return made;
    };
    const steps: Readonly<Record<string, () => Promise<unknown>>> = {
      folder: async () => workspace.folder,
      changes: () => workspace.changes(),
      validate: () => workspace.validate(),
      plan: () => workspace.plan({ unmanaged: true }),
      drift: () => workspace.drift(),
      save: async () => workspace.save(await planned()),
      resume: async () => workspace.resume(JSON.stringify(await workspace.save(await planned()))),
      apply: async () => workspace.apply(await planned()),
      record: async () => workspace.record(await planned()),
      runs: async () => workspace.runs(),
      run: async () => workspace.run(workspace.runs()[0]?.run ?? ""),
      revert: async () => workspace.revert(workspace.runs()[0]?.run ?? ""),
      importFrom: () => workspace.importFrom("analysis"),
      adopt: () => workspace.adopt(),
      doctor: () => workspace.doctor(),
      service: () => workspace.service("wiki"),
      references: async () =>
        workspace.references((await workspace.validate()).resources, { service: [], kind: [], label: [] }),
      publishing: () =>
        workspace.publishing({ role: "wiki", service: undefined, writes: [] }, (door) =>
          door.call("getPage", { "page-id": "1" }),
        ),
      location: () => workspace.location(),
      history: async () => workspace.history(folder.path).add({ command: "plan", plan: (await planned()).plan }),
      acknowledge: () =>
        workspace.acknowledge({
          addresses: ["*"],
          acknowledgement: { until: new Date().toISOString().slice(0, 10), reason: "later", by: "somebody" },
        }),
      format: () => workspace.format(),
      call: () => workspace.call(wiki, "getCurrentUser", {}, "read"),
      write: () => workspace.call(wiki, "createToken", { tokenDescription: "x" }, "write"),
      work: () => workspace.work({ onStarted: () => {}, onFailed: () => {}, onTrouble: () => {} }),
    };
    expect(Object.keys(steps)).toEqual(expect.arrayContaining(Object.keys(workspace)));
    for (const [name, step] of Object.entries(steps)) {
      const said = await step().then(
        (value) => JSON.stringify(value ?? null),
        (error: unknown) => {
          if (!(error instanceof ProblemError)) throw error;
          return JSON.stringify([error.problems, error.message, error.stack]);
        },
      );
      expectNone(said, [password, initial], `${status} ${name}`);
    }
  }
});
