import { Command } from "commander";
import { expect, test } from "vitest";
import { givenWords } from "../../src/cli/options/options.ts";
import {
  addConsentOptions,
  addPlanOptions,
  type PlanCommandOptions,
  partOptionProblems,
  planningOf,
} from "../../src/cli/options/plan-options.ts";
import { settledProblem } from "../../src/cli/results/plan-file.ts";

/** What the words of a plan's options mean. */
function given(...words: readonly string[]): PlanCommandOptions {
  const command = addConsentOptions(addPlanOptions(new Command()))
    .exitOverride()
    .configureOutput({ writeErr() {} });
  return command.parse(words, { from: "user" }).opts<PlanCommandOptions>();
}

test("every fact about a run can be given, and none in a form that it cannot have", () => {
  const facts = {
    repository: "meridian-kites/website",
    commit: "a".repeat(40),
    "pull-request": "8",
    change: "17",
    revision: "2",
    link: "https://ci.example/job/1",
    author: "bot",
  };
  const words = Object.entries(facts).flatMap(([fact, value]) => ["--about", `${fact}=${value}`]);
  expect(given(...words).about).toEqual({
    repository: "meridian-kites/website",
    commit: "a".repeat(40),
    pullRequest: 8,
    change: 17,
    revision: "2",
    link: "https://ci.example/job/1",
    author: "bot",
  });
  const wrong = [
    "repository=a/b/c",
    "commit=abc",
    "pull-request=-8",
    "change=I1f",
    "revision=a b",
    "link=ci",
    "author=a b",
  ];
  for (const fact of [...wrong, "repository", "=8"]) expect(() => given("--about", fact), fact).toThrow("Expected ");
});

test("the words that select a workspace and its values give the same again", () => {
  const words = [
    ...["--workspace", "teams/a", "--environment", "production", "--var", "a=1=2", "--var", "b="],
    ...["--values", "x.yaml", "--values", "y.yaml", "--trust", "main"],
  ];
  expect(givenWords(given(...words))).toEqual(words);
  expect(givenWords(given())).toEqual([]);
  for (const wrong of ["a", "=1"]) expect(() => given("--var", wrong)).toThrow("Expected name=value.");
});

test("consent is what was given and nothing else, and reaches the plan", () => {
  expect(planningOf(given())).toMatchObject({ consent: {}, noDeletes: false, noExec: false, record: undefined });
  const words = ["--accept", "widens-access", "--accept", "wiki/WikiPage/1", "--max-deletes", "3", "--no-deletes"];
  expect(planningOf(given(...words, "--max-delete-percent", "100"))).toMatchObject({
    consent: { accept: ["widens-access", "wiki/WikiPage/1"], maxDeletes: 3, maxDeletePercent: 100 },
    noDeletes: true,
  });
  expect(planningOf({ ...given(), allowExec: false, record: true })).toMatchObject({
    noExec: true,
    record: "refs/setpoint/applied",
  });
  expect(() => given("--accept", "widens")).toThrow(/Expected .*widens-access.*, or an address\./);
  expect(() => given("--max-delete-percent", "101")).toThrow("Expected a number up to 100.");
});

test("each option that a saved plan has settled is named if it is given again, and no other is", () => {
  expect(settledProblem(given("--all", "--report", "json=x", "--history", "x", "--fail-on", "drift"))).toBeUndefined();
  for (const [option, ...value] of [
    ["--base", "HEAD"],
    ["--trust", "main"],
    ["--service", "wiki"],
    ["--kind", "WikiPage"],
    ["--only", "wiki/*"],
    ["--label", "a=b"],
    ["--no-deletes"],
    ["--accept", "rotates-secret/x"],
    ["--max-deletes", "0"],
    ["--max-delete-percent", "0"],
  ] as const)
    expect(settledProblem(given(option, ...value))).toMatchObject({
      message: `A saved plan is applied as it is: ${option} cannot be given with it.`,
      hint: "Give it to setpoint plan --out, and apply that plan.",
    });
});

test("a part of the resources is not saved, published or remembered as if it were everything", () => {
  const shard = { index: 1, of: 2 };
  const messages = (options: Parameters<typeof partOptionProblems>[0]) =>
    partOptionProblems(options).map(({ message }) => message);
  const all = given("--publish", "status", "--history", "kept");
  expect(messages({ ...all, out: "plan.json" })).toEqual([]);
  expect(messages({ ...given(), shard, affected: true })).toEqual([]);
  expect(messages({ ...all, affected: true })).toEqual([]);
  expect(messages({ ...given(), affected: true, out: "x" })).toEqual(["--affected cannot be combined with --out."]);
  expect(messages({ ...all, shard, out: "x" })).toEqual([
    "--shard cannot be combined with --out, --publish, --history.",
  ]);
});
