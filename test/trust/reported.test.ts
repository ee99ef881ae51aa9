import { describe, expect, test } from "vitest";
import { environmentFor } from "../../src/sandbox/server/environment.ts";
import { openWorkspace } from "../../src/setpoint.ts";
import { memoryFiles } from "../manifests/support/workspace.ts";
import { lock, workflows } from "../support/commands.ts";
import { type Files, merged, problemsOf, rules, sandboxForTest, workspaceFile } from "./pull.ts";

describe("the reported changes of rules", () => {
  const saidOf = async (rest: string, before = rules.rest, head = "") => {
    const sandbox = await sandboxForTest();
    const files = (more: string, first = "") =>
      memoryFiles({
        ...merged(sandbox.url),
        "setpoint.yaml": first + workspaceFile(rules.services(sandbox.url), more),
        "policies/b.json": "{}",
      });
    const workspace = openWorkspace({
      path: "/nowhere",
      trust: "main",
      files: files(rest, head),
      filesAt: async () => files(before),
      env: environmentFor(sandbox.url),
    });
    return (await workspace.validate()).trusted?.changes;
  };
  const policies = (...names: readonly string[]) =>
    `${rules.rest}`.replace(
      /^policies:.*$/m,
      `policies: [${names.map((name) => `{ name: ${name}, schema: policies/${name}.json }`).join(", ")}]`,
    );

  test("include the order of a list", async () => {
    expect(await saidOf(policies("b", "short"), policies("short", "b"))).toMatchObject([{ path: ["policies"] }]);
  });

  test("do not include the modeline for editors", async () => {
    expect(await saidOf(rules.rest, rules.rest, "$schema: ./setpoint.schema.json\n")).toEqual([]);
  });

  test("do not show a password in an address", async () => {
    const where = "variables: { where: 'https://admin:pa55word@example.com/x', ";
    const changes = await saidOf(rules.rest.replace("variables: { ", where));
    expect(changes).toMatchObject([{ path: ["variables", "where"], head: expect.stringContaining("example.com/x") }]);
    expect(JSON.stringify(changes)).not.toContain("pa55word");
  });
});

describe("problems", () => {
  test("include those of a broken workspace file", async () => {
    const problems = await problemsOf((url) => ({
      "setpoint.yaml": workspaceFile(rules.services(url), "guard: {}\n"),
    }));
    expect(problems).toMatchObject([{ code: "SP1007" }, { code: "SP1004", place: { file: "setpoint.yaml" } }]);
  });

  test("name the ref if its rules are missing or broken", async () => {
    const sandbox = await sandboxForTest();
    const open = (before: Files) =>
      openWorkspace({
        path: "/nowhere",
        trust: "main",
        files: memoryFiles(merged(sandbox.url)),
        filesAt: async () => memoryFiles(before),
        env: {},
      });
    expect(await open({}).plan()).toMatchObject({
      is: "wrong",
      problems: [{ code: "SP1013", message: expect.stringMatching(/^At main: /) }],
    });
    const broken = { ...merged(sandbox.url), "policies/short.json": "{" };
    expect((await open(broken).validate()).problems[0]?.message).toMatch(/^At main: /);
    expect(sandbox.requests()).toEqual([]);
  });

  test("include a variable that is removed and still used, once merged", async () => {
    const problems = await problemsOf((url) => ({
      "setpoint.yaml": workspaceFile(rules.services(url), rules.rest.replace(/^variables:.*\n/m, "")),
    }));
    expect(problems).toMatchObject([{ code: "SP1007", message: expect.stringMatching(/^Once merged: /) }]);
  });

  test("are reported once, and without naming rules, if both sets of rules find them", async () => {
    const problems = await problemsOf((url) => ({
      "setpoint.yaml": workspaceFile(rules.services(url), rules.rest.replace("maxDeletes: 1", "maxDeletes: 500")),
      "manifests/c.yaml": lock("platform/ui", "main").replace("branch: main", "branch: main, nothing: 1"),
    }));
    expect(problems).toMatchObject([{ code: "SP1004", message: expect.not.stringMatching(/^(By the|Once)/) }]);
  });

  test("are in the order of their places, whichever rules find them", async () => {
    const problems = await problemsOf((url) => ({
      "setpoint.yaml": workspaceFile(rules.services(url), rules.rest.replace(/^(policies|variables):.*\n/gm, "")),
      "manifests/c.yaml": lock("platform/ui", "main").replace(
        "branch: main",
        "branch: main, reason: Far longer than ten",
      ),
    }));
    expect(problems.map(({ place }) => place?.file)).toEqual(["manifests/b.yaml", "manifests/c.yaml"]);
    expect(problems[0]?.message).toMatch(/^Once merged: /);
  });

  test("name the trusted rules if only these find them", async () => {
    const problems = await problemsOf((url) => ({
      "setpoint.yaml": workspaceFile(rules.services(url), rules.rest.replace("branch: release-2.3", "branch: true")),
      "manifests/b.yaml": workflows("website", true).replace("true", '"${var.branch}"'),
    }));
    expect(problems).toMatchObject([{ code: "SP1002", message: expect.stringMatching(/^By the rules at main: /) }]);
  });
});
