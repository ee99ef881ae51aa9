import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { argumentOptions } from "../../../src/cli/commands/call/call-arguments.ts";
import type { CallOptions } from "../../../src/cli/options/options.ts";
import { operationsOf } from "../../../src/clients/find-service.ts";
import { isObject } from "../../../src/core/text/json.ts";
import { defaultWorld } from "../../../src/sandbox/default-world.ts";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { examples } from "../../clients/services.ts";
import { tarOf } from "../../sandbox/archives.ts";
import { sandboxForTest } from "../../sandbox/asking.ts";
import { problemsOf } from "../../support/lab.ts";
import { type Role, roles } from "../../support/roles.ts";
import { workspaceFolder } from "../workspace-folder.ts";
import { callerIn } from "./called.ts";

const { path: folder, remove } = workspaceFolder(roles);
afterAll(remove);
const called = callerIn(folder);
writeFileSync(join(folder, "new.jar"), "new");
writeFileSync(join(folder, "site.tar.gz"), gzipSync(tarOf({ "index.html": "<p>" })));
/** Nested so deeply that walking it would exhaust the stack. */
const deep = `${"[".repeat(5000)}${"]".repeat(5000)}`;
writeFileSync(join(folder, "deep.json"), `{ "inputs": { "a": ${deep} } }`);

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
