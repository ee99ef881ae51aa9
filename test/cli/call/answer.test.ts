import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { sandboxForTest } from "../../sandbox/asking.ts";
import { problemsOf } from "../../support/lab.ts";
import { roles } from "../../support/roles.ts";
import { workspaceFolder } from "../workspace-folder.ts";
import { callerIn } from "./called.ts";

const { path: folder, remove } = workspaceFolder(roles);
afterAll(remove);
const called = callerIn(folder);
writeFileSync(join(folder, "jars.aql"), 'items.find({"repo":"libs-release-local"})');

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

  test("a list of operations is a table for people and data with --json", async () => {
    const sandbox = await sandboxForTest();
    const listed = await called(sandbox, ["wiki"], { json: true, list: true });
    expect(JSON.parse(listed).operations).toContainEqual(
      expect.objectContaining({ role: "wiki", operation: "getPage", effect: "read", method: "GET" }),
    );
    expect(await problemsOf(called(sandbox, []))).toMatchObject([
      { code: "SP5001", hint: "setpoint call --list shows the operations of every role." },
    ]);
    expect(await problemsOf(called(sandbox, ["wiki"]))).toMatchObject([
      { code: "SP5001", hint: "setpoint call wiki --list shows its operations." },
    ]);
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
