import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { call } from "../../src/cli/commands/call/call.ts";
import { argumentOptions } from "../../src/cli/commands/call/call-arguments.ts";
import { operationHelp } from "../../src/cli/commands/call/call-command.ts";
import type { CallOptions } from "../../src/cli/options/options.ts";
import { operationsOf } from "../../src/clients/find-service.ts";
import { isObject } from "../../src/core/text/json.ts";
import { defaultWorld } from "../../src/sandbox/default-world.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { environmentFor } from "../../src/sandbox/server/environment.ts";
import { examples } from "../clients/services.ts";
import { tarOf } from "../sandbox/archives.ts";
import { sandboxForTest } from "../sandbox/asking.ts";
import { setpoint } from "../support/commands.ts";
import { problemsOf } from "../support/lab.ts";
import { program } from "../support/program.ts";
import { type Role, roles } from "../support/roles.ts";
import { workspaceFolder } from "./workspace-folder.ts";

const { path: folder, remove } = workspaceFolder(roles);
afterAll(remove);
writeFileSync(join(folder, "new.jar"), "new");
writeFileSync(join(folder, "site.tar.gz"), gzipSync(tarOf({ "index.html": "<p>" })));
writeFileSync(join(folder, "jars.aql"), 'items.find({"repo":"libs-release-local"})');
/** Nested so deeply that walking it would exhaust the stack. */
const deep = `${"[".repeat(5000)}${"]".repeat(5000)}`;
writeFileSync(join(folder, "deep.json"), `{ "inputs": { "a": ${deep} } }`);
writeFileSync(
  join(folder, "page.json"),
  '{ "body": { "storage": { "value": "<p>Soon.</p>", "representation": "storage" } } }',
);

const withSecret = (url: string) => ({ ...environmentFor(url), OLD: "pa55/word" });

/** Calls an operation in this process, as the command would, and returns what it printed. */
async function called(sandbox: Sandbox, words: readonly string[], options: Partial<CallOptions> = {}): Promise<string> {
  let printed = "";
  const code = await call(
    words,
    {
      workspace: folder,
      var: { url: sandbox.url },
      values: [],
      json: false,
      color: false,
      list: false,
      yes: true,
      pageAll: false,
      help: false,
      ...options,
    },
    {
      stopping: new AbortController().signal,
      signal: new AbortController().signal,
      env: withSecret(sandbox.url),
      output: {
        json: options.json ?? false,
        width: 100,
        color: false,
        unicode: true,
        print: (part) => {
          printed += part;
        },
      },
    },
  );
  expect(code).toBe(0);
  return printed;
}

async function sandboxWithTokens(): Promise<Sandbox> {
  const world = defaultWorld();
  const [token] = world.tracker.tokenPlugin.tokens;
  world.tracker.preferences.admin = { "jira.user.timezone": "Etc/UTC" };
  if (token !== undefined) world.wiki.tokenPlugin.tokens.push({ ...token, id: 9 });
  return sandboxForTest({ world });
}

/** The words of a case, with its placeholders replaced by values that have spaces or are known only at run time. */
async function wordsOf(sandbox: Sandbox, role: Role, operation: string): Promise<readonly string[]> {
  const line = examples[role].calls[operation];
  if (line === undefined) throw new Error(`no case for ${role}.${operation}`);
  const values = {
    "{url}": sandbox.services[role].url,
    "{folder}": folder,
    "{build}": "telemetry release",
    "{view}": "New and critical",
    "{tip}": sandbox.state().hosting.repositories[0]?.commits[0]?.sha ?? "",
    "{revision}": line.includes("{revision}") ? await revisionOf(sandbox, "platform/core") : "",
    "{comment}": line.includes("{comment}") ? await commentOf(sandbox) : "",
  };
  return line
    .split(" ")
    .filter((word) => word !== "")
    .map((word) => Object.entries(values).reduce((known, [name, value]) => known.replace(name, value), word));
}

/** The newest commit of a project's configuration. */
async function revisionOf(sandbox: Sandbox, project: string): Promise<string> {
  const access: unknown = JSON.parse(await called(sandbox, ["review", "getProjectAccess", "--project-name", project]));
  return isObject(access) ? String(access.revision) : "";
}

async function commentOf(sandbox: Sandbox): Promise<string> {
  const comments: unknown = JSON.parse(await called(sandbox, ["review", "listChangeComments", "--change-id", "311"]));
  const [first]: readonly unknown[] =
    isObject(comments) && Array.isArray(comments["src/frame.c"]) ? comments["src/frame.c"] : [];
  return isObject(first) ? String(first.id) : "";
}

test("every operation can be called", async () => {
  const sandbox = await sandboxWithTokens();
  const world = sandbox.state();
  for (const role of roles)
    for (const [name, { yields, effect }] of Object.entries(operationsOf(role))) {
      sandbox.clear();
      const out = await called(sandbox, [role, name, ...(await wordsOf(sandbox, role, name))], {
        json: true,
        ...(yields === undefined ? {} : { secretFile: join(folder, `${role}-secret`) }),
      });
      const sent = sandbox.requests().map(({ service, operation }) => `${service}.${operation}`);
      expect({ name, sent, out }).toEqual({
        name,
        sent: expect.arrayContaining([`${role}.${name}`]),
        out: expect.not.stringMatching(/pa55.word|set-cookie/i),
      });
      expect(() => JSON.parse(out), name).not.toThrow();
      if (effect === "write") sandbox.change((state) => Object.assign(state, structuredClone(world)));
    }
  for (const role of roles)
    expect(Object.keys(examples[role].calls).sort()).toEqual(Object.keys(operationsOf(role)).sort());
});

test("an argument named like an option of the command itself gets the prefix --arg-", () => {
  const renamed = roles.flatMap((role) =>
    Object.entries(operationsOf(role)).flatMap(([name, operation]) =>
      argumentOptions(operation).flatMap(({ flag }) => (flag.startsWith("--arg-") ? [`${role}.${name} ${flag}`] : [])),
    ),
  );
  expect(renamed).toEqual([
    "ci.buildJob --arg-json",
    "hosting.createIssueComment --arg-body",
    "hosting.updateIssueComment --arg-body",
    "wiki.updatePage --arg-body",
  ]);
});

describe("values", () => {
  test("a list is given by repeating an option, an object as JSON, a flag without a value", async () => {
    const sandbox = await sandboxForTest();
    await called(sandbox, [
      "analysis",
      "createModule",
      ..."--project core --name x --allow-all".split(" "),
      "--paths=/a,b",
      "--paths",
      "/c",
    ]);
    expect(sandbox.state().analysis.modules.at(-1)).toMatchObject({
      name: "x",
      allow_all: true,
      paths: ["/a,b", "/c"],
    });
    const add = {
      "refs/heads/y": { permissions: { push: { rules: { "global:Registered-Users": { action: "DENY" } } } } },
    };
    await called(sandbox, ["review", "modifyProjectAccess", "--project-name", "tools", "--add", JSON.stringify(add)]);
    expect(sandbox.state().review.projects.tools?.access["refs/heads/y"]).toBeDefined();
  });

  test("a list of objects can have a single entry", async () => {
    const sandbox = await sandboxForTest();
    const role = ["--name", "Lead", "--allowed-status-transitions", '{"from":"New","to":"Fix"}'];
    await called(sandbox, ["analysis", "createRole", ...role]);
    expect(sandbox.state().analysis.roles.at(-1)).toMatchObject({
      name: "Lead",
      allowed_status_transitions: "New,Fix",
    });
  });

  test("text stays text where a number would be valid too: 1.0 is not 1", async () => {
    const sandbox = await sandboxForTest();
    sandbox.change(({ artifacts }) => {
      artifacts.builds.app = {
        "1.0": { started: "2026-01-01T00:00:00.000Z", properties: {}, artifacts: [], statuses: [] },
      };
    });
    const out = await called(sandbox, ["artifacts", "getBuild", "--build-name", "app", "--build-number", "1.0"]);
    expect(JSON.parse(out)).toMatchObject({ buildInfo: { number: "1.0" } });
  });

  test("an option overrides the same argument in the file of --body", async () => {
    const sandbox = await sandboxForTest();
    const body = join(folder, "issue.json");
    writeFileSync(body, '{ "issueKey": "FW-12", "fields": ["summary"] }');
    const out = await called(sandbox, ["tracker", "getIssue", "--issue-key", "FW-13"], { body });
    expect(JSON.parse(out)).toMatchObject({ key: "FW-13", fields: { summary: "Read the gyroscope at 1 kHz" } });
  });
});

test("an answer capped by an argument is one page, and with --page-all every page", async () => {
  const sandbox = await sandboxForTest();
  const words = "artifacts listTags --repo-key docker-dev-local --image meridian/telemetry --n 1".split(" ");
  expect(JSON.parse(await called(sandbox, words))).toMatchObject({ tags: ["1.4.0"] });
  expect(JSON.parse(await called(sandbox, words, { pageAll: true }))).toMatchObject({ tags: ["1.4.0", "1.5.0"] });
});

describe("the output", () => {
  test("a string is printed as it is, and as a JSON string with --json", async () => {
    const sandbox = await sandboxForTest();
    const words = ["ci", "getLatestStableCore"];
    expect(await called(sandbox, words)).toBe("2.479.3");
    expect(await called(sandbox, words, { json: true })).toBe('"2.479.3"');
  });

  test("a secret in an answer is printed as dots, and an empty answer as null", async () => {
    const sandbox = await sandboxForTest();
    const made = await called(sandbox, ["wiki", "createToken", "--token-description", "x"], {
      secretFile: join(folder, "made"),
    });
    expect(JSON.parse(made)).toMatchObject({ plainTextToken: "•••" });
    expect(await called(sandbox, ["tracker", "setLocale", "--locale", "nb_NO"])).toBe("null");
  });
});

describe("an answer", () => {
  const answer = async (words: string) => JSON.parse(await called(await sandboxForTest(), words.split(" ")));

  test.each([
    ["ci listPlugins --tree plugins[shortName]", { plugins: expect.arrayContaining([{ shortName: "git" }]) }],
    ["ci getBuildParameters --job firmware/bootloader --build-number 42 --tree number", { number: 42 }],
    ["wiki getPage --page-id 48213 --expand space", { id: "48213", space: { key: "ENG" } }],
  ])("can be narrowed to selected fields: %s", async (words, expected) => {
    expect(await answer(words)).toMatchObject(expected);
  });

  test.each(["", " --path="])("can list the root of a repository: artifacts listFolder%s", async (path) => {
    const listed = await answer(`artifacts listFolder --repo-key libs-release-local --list-folders true${path}`);
    expect(listed).toMatchObject({ files: [{ uri: "/com", folder: true }] });
  });

  test("can come from a query in a file", async () => {
    const found = await answer(`artifacts query --file ${join(folder, "jars.aql")}`);
    expect(found.results).not.toEqual([]);
    expect(await answer('artifacts query --query items.find({"repo":"libs-release-local"})')).toMatchObject({
      results: found.results,
    });
  });
});

describe("a new secret", () => {
  const make = ["artifacts", "createToken", "--description", "x"];

  test("goes to the file given by --secret-file, readable only by its owner", async () => {
    const sandbox = await sandboxForTest();
    const secretFile = join(folder, "secret");
    const out = await called(sandbox, make, { secretFile });
    expect(readFileSync(secretFile, "utf8")).toMatch(/^access-[0-9a-f]{64}$/);
    expect(statSync(secretFile).mode & 0o777).toBe(0o600);
    expect(out).not.toContain(readFileSync(secretFile, "utf8"));
    await called(sandbox, [...make, "--include-reference-token"], { secretFile });
    expect(readFileSync(secretFile, "utf8")).toMatch(/^ref-/);
  });

  test("is not created if it would be lost or its file cannot be written", async () => {
    const sandbox = await sandboxForTest();
    expect(await problemsOf(called(sandbox, make))).toMatchObject([
      { code: "SP5001", hint: expect.stringContaining("--secret-file") },
    ]);
    expect(await problemsOf(called(sandbox, make, { secretFile: folder }))).toMatchObject([{ code: "SP1017" }]);
    expect(sandbox.requests()).toEqual([]);
  });

  test("cannot be requested from an operation that creates none", async () => {
    const sandbox = await sandboxForTest();
    expect(await problemsOf(called(sandbox, ["wiki", "getCurrentUser"], { secretFile: "x" }))).toMatchObject([
      { code: "SP5001" },
    ]);
  });
});

describe("help", () => {
  test("of an operation states what it does, what it takes and an example", async () => {
    const out = await called(await sandboxForTest(), ["review", "setReview"], { help: true });
    for (const part of [
      "Usage: setpoint call review setReview [options]",
      "Posts a review: a message, votes, and comments on files, lines and ranges.",
      "write  POST /changes/{change-id}/revisions/{revision-id}/review",
      "--labels <json>",
      "Votes by label. Not in the API documents:",
      "Example:\n  setpoint call review setReview --change-id 1 --revision-id REVISION_ID",
    ])
      expect(out).toContain(part);
  });

  test("of an operation says what is beyond the API documents without a page that is not installed", () => {
    const rows = roles.flatMap((role) =>
      Object.entries(operationsOf(role)).map(([name, row]) => ({ role, name, row })),
    );
    const helps = rows.map(({ role, name, row }) => operationHelp({ service: role, name, operation: row }, 1_000));
    expect(helps.filter((help) => /not in the API documents: \w/i.test(help)).length).toBeGreaterThan(20);
    expect(helps.filter((help) => help.includes(".md"))).toEqual([]);
  });

  test("of an operation breaks no description within a word on a terminal of 80 columns", () => {
    const rows = roles.flatMap((role) =>
      Object.entries(operationsOf(role)).map(([name, row]) => ({ service: role, name, operation: row })),
    );
    // Only words longer than their column, such as a path, are wider.
    const wide = rows.flatMap((row) => operationHelp(row, 80).split("\n")).filter((line) => line.length > 80);
    expect(wide.filter((line) => / {2}\S+ \S.* \S+$/.test(line) && line.startsWith("  -"))).toEqual([]);
  });

  test("of an operation has its descriptions below the arguments where there is no room beside them", () => {
    const rows = roles.flatMap((role) =>
      Object.entries(operationsOf(role)).map(([name, row]) => ({ service: role, name, operation: row })),
    );
    const lines = rows.flatMap((row) => {
      const help = operationHelp(row, 60);
      return help.slice(help.indexOf("\n  -"), help.indexOf("\nExample:")).split("\n");
    });
    expect(lines.filter((line) => line.length > 60)).toEqual([]);
    const [setting] = rows.filter(({ name }) => name === "setActionsPermissions");
    if (setting === undefined) throw new Error("no row");
    const narrow = operationHelp(setting, 60);
    expect(narrow).toContain("\n  --sha-pinning-required [true|false]\n      Not in the API documents: ");
    expect(narrow).toContain("\n  setpoint call hosting setActionsPermissions \\\n    --org ORG \\\n");
  });

  test("of an operation needs no workspace if the service is given by its role", async () => {
    const sandbox = await sandboxForTest();
    const options = { help: true, workspace: join(folder, "nowhere") };
    expect(await called(sandbox, ["hosting", "getZen"], options)).toContain("setpoint call hosting getZen");
    expect(await problemsOf(called(sandbox, ["github", "getZen"], options))).toMatchObject([{ code: "SP1013" }]);
  });

  test("--list is a table with one line per operation, marking those beyond the API documents", async () => {
    const out = await called(await sandboxForTest(), [], { list: true });
    expect(out).toMatch(/^wiki +getPage +read +GET +\/rest\/api\/content\/\{page-id\}$/m);
    expect(out).toMatch(/^ci +updateJobConfig \+ +write +POST +\/job\/\{job\}\/config\.xml$/m);
    expect(out.split("\n").filter((line) => line.length > 100)).toEqual([]);
    const rows = roles.flatMap((role) => Object.values(operationsOf(role)));
    const documented = rows.filter(({ ext }) => ext === undefined).length;
    expect(out).toContain(`\n${documented} operations of the API documents, and ${rows.length - documented} more (+).`);
  });

  test("--list of a service has only its operations", async () => {
    const sandbox = await sandboxForTest();
    const lines = (await called(sandbox, ["wiki"], { list: true })).trimEnd().split("\n");
    expect(lines).toHaveLength(Object.keys(operationsOf("wiki")).length + 1);
    expect(lines.slice(0, -1).filter((line) => !line.startsWith("wiki "))).toEqual([]);
    expect(await problemsOf(called(sandbox, ["wki"], { list: true }))).toMatchObject([{ code: "SP1009" }]);
  });
});

test("the help of a service lists its operations", async () => {
  const sandbox = await sandboxForTest();
  expect(await called(sandbox, ["wiki"], { help: true })).toBe(await called(sandbox, ["wiki"], { list: true }));
});

test("an operation can be named as in a plan", async () => {
  const sandbox = await sandboxForTest();
  const words = ["--page-id", "48213"];
  expect(await called(sandbox, ["wiki.getPage", ...words])).toBe(await called(sandbox, ["wiki", "getPage", ...words]));
});

test.each<[readonly string[], Partial<CallOptions>, string]>([
  [[], {}, "call needs the name of a service and an operation."],
  [["wki", "getPage"], {}, 'The workspace has no service "wki". Did you mean "wiki"?'],
  [["wiki", "getPag"], {}, 'Services with the role wiki have no operation "getPag". Did you mean "getPage"?'],
  [["wiki", "getPage"], {}, "--page-id is missing."],
  [["wiki", "getPage", "--pageid", "1"], {}, "Unknown option '--pageid'. Did you mean --page-id?"],
  [["wiki", "getPage", "--page-id", "1", "2"], {}, "Too many arguments"],
  [["ci", "getBuildXml", "--job", "a", "--build-number", "x"], {}, "--build-number is not a number."],
  [["wiki", "getPage"], { body: join(folder, "setpoint.yaml") }, "setpoint.yaml is not JSON"],
  [["wiki", "getPage"], { body: folder }, "cannot be read: it is a folder."],
])("%j is an error, and nothing is sent", async (words, options, expected) => {
  const sandbox = await sandboxForTest();
  const problems = await problemsOf(called(sandbox, words, options));
  expect(problems.map(({ message }) => message).join("\n")).toContain(expected);
  expect(sandbox.requests()).toEqual([]);
});

test("without an operation, the hint leads to those of the named service", async () => {
  const problems = await problemsOf(called(await sandboxForTest(), ["wiki"]));
  expect(problems).toMatchObject([{ hint: "setpoint call wiki --list shows its operations." }]);
});

test.each<[string, readonly string[], Partial<CallOptions>]>([
  ["deep.json", [], { body: join(folder, "deep.json") }],
  ["--inputs", ["--inputs", `{"a":${deep}}`], {}],
])("%s that is nested so deeply that reading it would exhaust the stack is an error", async (named, more, options) => {
  const sandbox = await sandboxForTest();
  const [problem] = await problemsOf(called(sandbox, ["hosting", "dispatchWorkflow", ...more], options));
  const message = expect.stringContaining(`${named} is JSON that is nested deeper than 500 levels.`);
  expect(problem).toMatchObject({ code: "SP5001", message });
});

const hasTerminals = spawnSync("script", ["-qec", "true", "/dev/null"], { stdio: "ignore" }).status === 0;

describe("as a command", () => {
  const run = async (args: readonly string[], url = "http://127.0.0.1:1") =>
    setpoint(["call", ...args, "--var", `url=${url}`], { cwd: folder, env: environmentFor(url) });

  test("reads immediately, and writes only with --yes", async () => {
    const sandbox = await sandboxForTest();
    const words = ["wiki", "updatePage", "--page-id", "48213", "--type", "page", "--title", "Dates"];
    const write = [...words, "--version", '{"number":3}', "--body", "page.json"];
    expect(await run(write, sandbox.url)).toMatchObject({ code: 1, out: expect.stringContaining("Hint: Pass --yes.") });
    expect(sandbox.requests()).toEqual([]);
    expect(await run([...write, "--yes"], sandbox.url)).toMatchObject({ code: 0, err: "" });
    const { code, out } = await run(["wiki", "getPage", "--page-id=48213"], sandbox.url);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ title: "Dates", version: { number: 3 } });
  });

  test.skipIf(!hasTerminals)('asks on a terminal, and only "yes" confirms (needs util-linux\'s script)', async () => {
    const sandbox = await sandboxForTest();
    const writes = () => sandbox.requests().map(({ operation }) => operation);
    expect(await onTerminal(sandbox, "y")).toMatchObject({
      code: 4,
      out: expect.stringContaining("Nothing was done."),
    });
    expect(writes()).toEqual([]);
    const { code, out } = await onTerminal(sandbox, "yes");
    expect({ code, writes: writes() }).toEqual({ code: 0, writes: ["setLocale"] });
    expect(out).toContain("PUT /rest/api/2/mypreferences/locale");
    expect(out).toContain('Send setLocale? Only "yes" is a yes: ');
  });

  test("names the file given by --body if it does not exist", async () => {
    const { code, out } = await run(["wiki", "getPage", "--body", "nowhere.json"]);
    expect({ code, out }).toEqual({ code: 1, out: expect.stringContaining("nowhere.json") });
  });

  test("reads arguments from standard input with --body -", async () => {
    const sandbox = await sandboxForTest();
    const words = ["call", "tracker", "getIssue", "--body", "-", "--var", `url=${sandbox.url}`];
    const { code, out } = await typed(sandbox, process.execPath, [program, ...words], '{ "issueKey": "FW-12" }');
    expect(JSON.parse(out)).toMatchObject({ key: "FW-12" });
    expect(code).toBe(0);
  });
});

/** Sets a locale on a pseudo-terminal and types an answer. */
function onTerminal(sandbox: Sandbox, answer: string) {
  const command = `${process.execPath} ${program} call tracker setLocale --locale nb_NO --var url=${sandbox.url}`;
  return typed(sandbox, "script", ["-qec", command, "/dev/null"], `${answer}\n`);
}

/** Runs a program in the workspace's folder and types into it. */
async function typed(sandbox: Sandbox, program: string, args: readonly string[], input: string) {
  const running = spawn(program, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, ...environmentFor(sandbox.url), NO_COLOR: "1" },
    stdio: ["pipe", "pipe", "ignore"],
  });
  running.stdin.end(input);
  const [out] = await Promise.all([text(running.stdout), once(running, "close")]);
  return { code: running.exitCode, out };
}
