import { describe, expect, test } from "vitest";
import { ProblemError } from "../../src/core/problem.ts";
import type { Plan } from "../../src/core/run/plan.ts";
import { environmentFor } from "../../src/sandbox/server/environment.ts";
import { openWorkspace } from "../../src/setpoint.ts";
import { memoryFiles } from "../manifests/support/workspace.ts";
import { lock } from "../support/commands.ts";
import {
  addresses,
  all,
  type Change,
  forgetful,
  later,
  merged,
  openPull,
  planOf,
  problemsOf,
  rules,
  said,
  sandboxForTest,
  workspaceFile,
} from "./pull.ts";

describe("guards", () => {
  const guarded =
    (guards: string): Change =>
    (url) => ({
      "setpoint.yaml": workspaceFile(rules.services(url), rules.rest.replace(/^guards:.*\n/, guards)),
      "manifests/b.yaml": "",
    });
  /** Makes a plan after locking both branches of `b.yaml`, so that removing them deletes two. */
  async function deleting(change: Change): Promise<Plan> {
    const pull = await openPull(change);
    const before = openWorkspace({
      path: "/nowhere",
      files: memoryFiles(merged(pull.sandbox.url)),
      env: environmentFor(pull.sandbox.url),
      runs: { newest: () => undefined, past: () => [], open: () => forgetful },
    });
    const first = await before.plan();
    if (first.is === "wrong") throw new ProblemError(...first.problems);
    await before.apply(first);
    const planned = await pull.workspace.plan({ base: "main" });
    if (planned.is === "wrong") throw new ProblemError(...planned.problems);
    return planned.plan;
  }
  const both = "review/BranchLock/platform/core:release-2.3, review/BranchLock/platform/ui:release-2.4";
  const refused = ({ refusals }: Plan) => refusals.map(({ message }) => message);

  test("a loosened guard still refuses, and the plan says that it would not once merged", async () => {
    const plan = await deleting(guarded("guards: { maxDeletes: 500, maxDeletePercent: 100 }\n"));
    expect(refused(plan)).toEqual([`The plan deletes 2 resources; the workspace allows 1: ${both}.`]);
    expect(said(plan)).toEqual([["setpoint.yaml", "guards.maxDeletes", 1, 500]]);
    expect(later(plan)).toEqual([
      `Once merged, no guard will refuse this: The plan deletes 2 resources; the workspace allows 1: ${both}.`,
    ]);
  });

  test("a removed guard still refuses", async () => {
    const plan = await deleting(guarded(""));
    expect(refused(plan)).toEqual([`The plan deletes 2 resources; the workspace allows 1: ${both}.`]);
  });

  test("a tightened guard already refuses", async () => {
    const plan = await deleting(guarded("guards: { maxDeletes: 0, maxDeletePercent: 100 }\n"));
    expect(refused(plan)).toEqual([`The plan deletes 2 resources; the workspace allows 0: ${both}.`]);
    expect(later(plan)).toEqual([
      `Refused only by a guard that is not merged yet: The plan deletes 2 resources; the workspace allows 0: ${both}.`,
    ]);
  });
});

describe("limits", () => {
  const limited =
    (limits: string): Change =>
    (url) => ({ "setpoint.yaml": workspaceFile(rules.services(url), `${limits}\n${rules.rest}`) });

  test("a raised limit does not apply, not even to what would be judged once merged", async () => {
    const problems = await problemsOf((url) => ({
      ...limited("limits: { resources: 500000 }")(url),
      "manifests/c.yaml": `forEach: [${"x,".repeat(20_000)}]\n${lock("platform/ui", '"v-${each}"')}`,
    }));
    expect(problems).toMatchObject([
      { message: "With this, the manifests declare more than 20,000 resources.", place: { file: "manifests/c.yaml" } },
    ]);
  });

  test("a lowered limit already refuses", async () => {
    expect(await problemsOf(limited("limits: { resources: 2 }"))).toMatchObject([
      { code: "SP1011", hint: "Declare less, or raise limits.resources in the workspace file." },
    ]);
  });

  test("a pull request cannot change how many errors are shown", async () => {
    const pull = await openPull((url) => ({
      ...limited("limits: { errors: 1 }")(url),
      "manifests/c.yaml": "kind: Lock\n",
    }));
    expect(await pull.workspace.plan()).toMatchObject({ is: "wrong", shown: 50 });
  });

  test("a change is reported, and is not a change of declared resources", async () => {
    const plan = await planOf(limited("limits: { resources: 3, work: 100000 }"));
    expect(addresses(plan)).toEqual(all);
    expect(said(plan)).toEqual([["setpoint.yaml", "limits", undefined, { resources: 3, work: 100_000 }]]);
    expect(later(plan)).toEqual([]);
  });
});

test("a risk that a pull request wants accepted has to be accepted already", async () => {
  const change: Change = (url) => ({
    "setpoint.yaml": workspaceFile(
      rules.services(url),
      rules.rest.replace("{ maxDeletes", "{ accept: [narrows-access], maxDeletes"),
    ),
  });
  expect((await planOf(change)).refusals).toMatchObject([
    { code: "SP2002", hint: expect.stringContaining("--accept") },
  ]);
  expect((await planOf(change, { consent: { accept: ["narrows-access"] } })).refusals).toEqual([]);
});

describe("exclusive kinds", () => {
  const exclusive =
    (entry: string): Change =>
    (url) => ({ "setpoint.yaml": workspaceFile(rules.services(url), `${rules.rest}exclusive: [${entry}]\n`) });

  test("a new one deletes nothing, and the plan says what it would delete", async () => {
    const plan = await planOf(exclusive("{ kind: AnalysisUser }"));
    expect(addresses(plan)).toEqual(all);
    expect(plan.trusted?.onceMerged).toMatchObject([
      {
        code: "SP1022",
        message: "Once merged, a plan deletes undeclared objects of AnalysisUser in analysis.",
        place: { file: "setpoint.yaml" },
      },
    ]);
  });

  test.each([
    ["[{ kind: AnalysisUser, except: [admin] }]", "", []],
    ["[{ kind: AnalysisUser, except: [admin] }]", "exclusive: [{ kind: AnalysisUser }]\n", "all but admin"],
    ["[{ kind: AnalysisUser }]", "exclusive: [{ kind: AnalysisUser, except: ['*'] }]\n", []],
  ])("an object is deleted only if both %s and %j delete it", async (before, after, expected) => {
    const sandbox = await sandboxForTest();
    const files = (more: string) =>
      memoryFiles({
        ...merged(sandbox.url),
        "setpoint.yaml": workspaceFile(rules.services(sandbox.url), `${rules.rest}${more}`),
      });
    const planned = await openWorkspace({
      path: "/nowhere",
      trust: "main",
      files: files(after),
      filesAt: async () => files(`exclusive: ${before}\n`),
      env: environmentFor(sandbox.url),
    }).plan();
    if (planned.is === "wrong") throw new ProblemError(...planned.problems);
    const deleted = planned.plan.changes.filter(({ action }) => action === "delete").map(({ key }) => key);
    const others = sandbox
      .state()
      .analysis.users.map(({ name }) => name)
      .filter((name) => name !== "admin");
    expect(deleted).toEqual(expected === "all but admin" ? others.sort() : expected);
  });
});

test("an apply starts only what is merged", async () => {
  const start = (file: string) =>
    `onApplied: [{ service: hosting, workflow: { owner: meridian-kites, repo: website, file: ${file}, ref: main } }]\n`;
  const plan = await planOf((url) => ({
    "setpoint.yaml": workspaceFile(rules.services(url), `${rules.rest}${start("evil.yml")}`),
  }));
  expect(plan.triggers).toBeUndefined();
  expect(said(plan)?.map(([, path]) => path)).toEqual(["onApplied"]);
});
