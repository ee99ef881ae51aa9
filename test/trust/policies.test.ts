import { describe, expect, test } from "vitest";
import { lock } from "../support/commands.ts";
import {
  addresses,
  all,
  type Change,
  openPull,
  planOf,
  policy,
  problemsOf,
  rules,
  said,
  workspaceFile,
} from "./pull.ts";

describe("policies", () => {
  const long = lock("platform/core", "main").replace("branch: main", "branch: main, reason: Far longer than ten");
  const without = rules.rest.replace(/^policies:.*\n/m, "");

  test.each([
    ["removed", (url: string) => ({ "setpoint.yaml": workspaceFile(rules.services(url), without) })],
    ["loosened", () => ({ "policies/short.json": policy({ maxLength: 100 }) })],
    ["emptied", () => ({ "policies/short.json": "{}" })],
    [
      "deleted with its entry",
      (url: string) => ({
        "setpoint.yaml": workspaceFile(rules.services(url), without),
        "policies/short.json": undefined,
      }),
    ],
    [
      "narrowed",
      (url: string) => ({
        "setpoint.yaml": workspaceFile(
          rules.services(url),
          rules.rest.replace("[BranchLock]", "[BranchLock], labels: { a: b }"),
        ),
      }),
    ],
  ] as const)("a policy that is %s still holds", async (_case, change: Change) => {
    const problems = await problemsOf((url) => ({ ...change(url), "manifests/c.yaml": long }));
    expect(problems).toMatchObject([{ code: "SP1019", place: { file: "manifests/c.yaml" } }]);
  });

  test("a policy that is tightened or added already holds, and says that it is not merged", async () => {
    const tight: Change = () => ({ "policies/short.json": policy({ type: "string", minLength: 99 }) });
    const reasoned = lock("platform/core", "main").replace("branch: main", "branch: main, reason: Short");
    const problems = await problemsOf((url) => ({ ...tight(url), "manifests/c.yaml": reasoned }));
    expect(problems).toMatchObject([{ code: "SP1019", message: expect.stringMatching(/^Once merged: /) }]);
    const added = await problemsOf((url) => ({
      "setpoint.yaml": workspaceFile(
        rules.services(url),
        rules.rest.replace("policies: [", "policies: [{ name: none, schema: policies/none.json }, "),
      ),
      "policies/none.json": policy({ const: "nothing" }),
      "manifests/c.yaml": reasoned,
    }));
    expect(added).toMatchObject([{ code: "SP1019", message: expect.stringMatching(/^Once merged: /) }]);
  });

  test("a loosened policy also holds for the values of the pull request", async () => {
    const problems = await problemsOf((url) => ({
      "setpoint.yaml": workspaceFile(
        rules.services(url),
        rules.rest.replace("branch: release-2.3", "branch: release-2.3, why: Far longer than ten"),
      ),
      "policies/short.json": "{}",
      "manifests/c.yaml": lock("platform/core", "main").replace("branch: main", 'branch: main, reason: "${var.why}"'),
    }));
    expect(problems).toMatchObject([{ code: "SP1019" }]);
  });

  test("a loosened policy holds for values that the pull request changes, as they would be once merged", async () => {
    const change: Change = () => ({
      "setpoint.prod.yaml": "reason: Far longer than ten\n",
      "manifests/a.yaml": lock("platform/core", "main").replace("main }", 'main, reason: "${var.reason}" }'),
    });
    const others: readonly Change[] = [
      () => ({ "policies/short.json": "{}" }),
      (url) => ({ "setpoint.yaml": workspaceFile(rules.services(url), without) }),
      () => ({}),
    ];
    for (const other of others) {
      const { workspace } = await openPull((url) => ({ ...change(url), ...other(url) }), { environment: "prod" });
      const planned = await workspace.plan();
      expect(planned.is === "wrong" && planned.problems.map(({ code, message }) => [code, message])).toEqual([
        ["SP1019", expect.stringMatching(/^Once merged: /)],
      ]);
    }
  });

  test("a change of a policy's schema is reported", async () => {
    const plan = await planOf(() => ({ "policies/short.json": policy({ maxLength: 100 }) }));
    expect(said(plan)).toEqual([["policies/short.json", "properties.spec.properties.reason.maxLength", 10, 100]]);
  });

  test("a manifest cannot be hidden by using it as the schema of a new policy", async () => {
    const plan = await planOf(
      (url) => ({
        "setpoint.yaml": workspaceFile(
          rules.services(url),
          rules.rest.replace("policies: [", "policies: [{ name: x, kinds: [AccessRule], schema: policies/x.json }, "),
        ),
        "policies/x.json": "{}",
      }),
      { base: "main" },
    );
    expect(addresses(plan)).toEqual(all);
    const hidden = await problemsOf((url) => ({
      "setpoint.yaml": workspaceFile(
        rules.services(url),
        rules.rest.replace("policies: [", "policies: [{ name: x, kinds: [AccessRule], schema: manifests/b.yaml }, "),
      ),
    }));
    expect(hidden.map(({ code }) => code)).not.toEqual([]);
  });
});
