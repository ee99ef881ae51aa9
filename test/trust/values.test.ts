import { describe, expect, test } from "vitest";
import { environmentFor } from "../../src/sandbox/server/environment.ts";
import { openWorkspace } from "../../src/setpoint.ts";
import { memoryFiles } from "../manifests/support/workspace.ts";
import { lock } from "../support/commands.ts";
import { addresses, all, later, merged, planOf, rules, said, sandboxForTest, workspaceFile } from "./pull.ts";

describe("values", () => {
  test("a changed default is reported, with its effect", async () => {
    const plan = await planOf((url) => ({
      "setpoint.yaml": workspaceFile(rules.services(url), rules.rest.replace("release-2.3", "main")),
    }));
    expect(addresses(plan)).toEqual(all);
    expect(said(plan)).toEqual([["setpoint.yaml", "variables.branch", "release-2.3", "main"]]);
    expect(later(plan)).toEqual([
      "Once merged, review/BranchLock/platform/core:main is declared.",
      "Once merged, review/BranchLock/platform/core:release-2.3 is no longer declared: a plan with a base would delete it.",
    ]);
  });

  test("a changed environment file and a changed file of values are reported", async () => {
    const reasoned = {
      "manifests/a.yaml": lock("platform/core", "main").replace("main }", 'main, reason: "${var.reason}" }'),
    };
    const plan = await planOf(
      () => ({ ...reasoned, "setpoint.prod.yaml": "reason: Open\n" }),
      {},
      { environment: "prod" },
    );
    expect(said(plan)).toEqual([["setpoint.prod.yaml", "reason", "Frozen", "Open"]]);
    expect(plan.changes.find(({ key }) => key === "platform/core:main")?.fields).toContainEqual(
      expect.objectContaining({ path: ["reason"], desired: "Frozen" }),
    );
    expect(later(plan)).toEqual(["Once merged, review/BranchLock/platform/core:main has other values: reason."]);
  });

  test("a new file of values is reported as a change", async () => {
    const plan = await planOf(() => ({ "setpoint.test.yaml": "reason: Open\n" }), {}, { environment: "test" });
    expect(said(plan)).toEqual([["setpoint.test.yaml", "reason", undefined, "Open"]]);
  });

  test("a new variable can be used immediately, since a manifest could state its value too", async () => {
    const plan = await planOf((url) => ({
      "setpoint.yaml": workspaceFile(
        rules.services(url),
        rules.rest.replace("branch: release-2.3", "branch: release-2.3, other: main"),
      ),
      "manifests/c.yaml": lock("platform/ui", '"${var.other}"'),
    }));
    expect(addresses(plan)).toContain("create review/BranchLock/platform/ui:main");
    expect(later(plan)).toEqual([]);
  });

  test("a number that is written differently is a different text", async () => {
    const numbered = (branch: string, url: string) => ({
      "setpoint.yaml": workspaceFile(rules.services(url), rules.rest.replace("release-2.3", branch)),
    });
    const sandbox = await sandboxForTest();
    const files = (branch: string) => memoryFiles({ ...merged(sandbox.url), ...numbered(branch, sandbox.url) });
    const workspace = openWorkspace({
      path: "/nowhere",
      trust: "main",
      files: files("2.10"),
      filesAt: async () => files("2.1"),
      env: environmentFor(sandbox.url),
    });
    expect(await workspace.validate()).toMatchObject({ trusted: { changes: [{ path: ["variables", "branch"] }] } });
  });
});
