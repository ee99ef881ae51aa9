import { expect, test } from "vitest";
import { ProblemError } from "../../src/core/problem.ts";
import type { Report } from "../../src/core/run/outcome.ts";
import type { Plan } from "../../src/core/run/plan.ts";
import { type PublishTarget, publishAll } from "../../src/publishers/publish.ts";
import type { Edition } from "../../src/publishers/publisher.ts";
import { fullPlan, refusals } from "../reports/fixture.ts";
import { fullReport } from "../reports/report-fixture.ts";
import { hostilePlan } from "../support/hostile-plan.ts";
import { facts, headOf, made, openPress, type Press } from "./press.ts";

const status = { as: "status" } as const;
const calm: Plan = { ...fullPlan, changes: [], unknown: [] };
const known: Plan = { ...fullPlan, unknown: [] };
const checks = fullPlan.changes.filter(({ action }) => action === "check");
const others = fullPlan.changes.filter(({ action }) => action !== "check");
const lost = { id: 9, result: "lost", duration: 1 } as const;

/** The statuses of the commit, newest first. */
function statuses({ desk }: Press) {
  const [website] = desk.sandbox.state().hosting.repositories;
  return (website?.statuses ?? []).filter(({ sha }) => sha === headOf(desk.sandbox)).toReversed();
}

test("the first run writes pending and its result, the second nothing, and one with another result writes once", async () => {
  await using press = await openPress();
  expect(await press.publish(status, { is: "started" })).toMatchObject({ writes: ["createStatus"], problems: [] });
  expect(statuses(press)[0]).toMatchObject({ state: "pending", context: "setpoint/plan" });
  expect((await press.publish(status, made(known))).writes).toEqual(["createStatus"]);
  expect(statuses(press)[0]).toMatchObject({
    state: "success",
    description: "4 pending, 2 drifted before, 1 conflict",
    creator: "admin",
  });
  for (const news of [{ is: "started" }, made(known, "2027-01-15T02:00:00.000Z")] as const)
    expect(await press.publish(status, news)).toMatchObject({ writes: [], problems: [] });
  expect((await press.publish(status, made(calm))).writes).toEqual(["createStatus"]);
  expect(statuses(press)[0]?.description).toBe("Nothing to do, 1,214 in sync");
  expect(statuses(press)).toHaveLength(3);
});

test.each<[string, Edition["command"], { readonly plan: Plan; readonly report?: Report } | undefined, string]>([
  ["a plan with changes", "plan", { plan: known }, "success"],
  ["a refused plan", "plan", { plan: { ...known, refusals } }, "failure"],
  ["a plan with something unknown", "plan", { plan: fullPlan }, "error"],
  ["a drift", "drift", { plan: known }, "failure"],
  ["no drift", "drift", { plan: calm }, "success"],
  ["an apply with failures", "apply", { plan: fullPlan, report: fullReport }, "failure"],
  ["an apply of nothing", "apply", { plan: calm }, "success"],
  ["an apply that was only refused", "apply", { plan: { ...known, refusals } }, "failure"],
  ["an apply that could not keep its journal", "apply", { plan: calm, report: ended("SP5004") }, "error"],
  ["a complete apply", "apply", { plan: calm, report: ended() }, "success"],
  [
    "an apply with something unknown",
    "apply",
    { plan: { ...calm, unknown: fullPlan.unknown }, report: ended() },
    "error",
  ],
  ["an apply with something skipped", "apply", { plan: calm, report: came("applied", "skipped") }, "error"],
  ["an apply whose result cannot be read", "apply", { plan: calm, report: came("unknown") }, "error"],
  ["an apply that is out of date", "apply", { plan: calm, report: came("stale", "unknown") }, "failure"],
  ["an apply whose trigger failed", "apply", { plan: calm, report: { ...ended(), triggers: [lost] } }, "failure"],
  [
    "an apply that left something to a person",
    "apply",
    { plan: { ...calm, changes: checks }, report: ended() },
    "failure",
  ],
  ["an apply of all changes", "apply", { plan: { ...calm, changes: others }, report: ended() }, "success"],
  ["no plan at all", "plan", undefined, "error"],
])("%s (%s) is %o %s", async (_what, command, subject, state) => {
  await using press = await openPress();
  const wrong = { is: "wrong", problems: [{ code: "SP1004", message: "No." }] } as const;
  await press.publish(status, subject === undefined ? wrong : { is: "made", subject }, { command });
  expect(statuses(press)[0]).toMatchObject({ state, context: `setpoint/${command}` });
  expect(statuses(press)[0]?.description?.length).toBeLessThanOrEqual(140);
});

function ended(code?: "SP5004"): Report {
  const problems = code === undefined ? {} : { problems: [{ code, message: "The disk is full." }] };
  return { ...fullReport, plan: calm, calls: [], outcomes: [], ...problems };
}

function came(...results: readonly Report["outcomes"][number]["result"][]): Report {
  return { ...ended(), outcomes: results.map((result, index) => ({ address: `a/B/${index}`, result })) };
}

test("two workspaces of a repository have a status each", async () => {
  await using press = await openPress();
  await press.publish(status, made(known), { name: "teams/a" });
  await press.publish(status, made(calm), { name: "teams/b, production" });
  expect(await press.publish(status, made(known), { name: "teams/a" })).toMatchObject({ writes: [] });
  expect(statuses(press).map(({ context }) => context)).toEqual([
    "setpoint/plan (teams/b, production)",
    "setpoint/plan (teams/a)",
  ]);
});

test("a known commit is not looked up, and the link leads to the run", async () => {
  await using press = await openPress();
  const commit = headOf(press.desk.sandbox);
  const { reads } = await press.publish(status, made(calm), {
    facts: { ...facts, commit, link: "https://ci.example/7" },
  });
  expect(reads).toEqual(["listCommitStatuses"]);
  expect(statuses(press)[0]?.target_url).toBe("https://ci.example/7");
});

test("missing facts are named, and nothing is sent", async () => {
  await using press = await openPress();
  const without = async (some: Edition["facts"]) => {
    const { reads, writes, problems } = await press.publish(status, made(calm), { facts: some });
    expect([...reads, ...writes]).toEqual([]);
    return problems.map(({ code, message, hint }) => [code, message, hint]);
  };
  expect(await without({ pullRequest: 8 })).toEqual([
    [
      "SP5001",
      "Not published as status. Nothing says which repository to publish to.",
      expect.stringContaining("repository="),
    ],
  ]);
  for (const commit of [undefined, "0123abc", "a".repeat(41)])
    expect(await without({ repository: facts.repository, commit })).toEqual([
      ["SP5001", expect.stringContaining("which commit"), expect.stringContaining("commit=")],
    ]);
});

test("an account that may not write is told which permission it needs", async () => {
  await using press = await openPress({ as: { username: "auditor", secret: "auditor-secret" } });
  const { problems, writes } = await press.publish(status, made(calm));
  expect(writes).toEqual(["createStatus"]);
  expect(problems).toMatchObject([
    { code: "SP3004", operation: "createStatus", hint: expect.stringContaining("statuses: write") },
  ]);
  expect(statuses(press)).toEqual([]);
});

/** The problems of a status, or of another target, whose requests all fail with this one. */
async function problemsAfter(failure: ProblemError, target: PublishTarget = status) {
  const door = {
    services: ["hosting"],
    username: undefined,
    isDeclared: async () => false,
    call: () => Promise.reject(failure),
  };
  return publishAll([target], made(calm), {
    open: (_to, use) => use(door),
    edition: { command: "plan", name: "", prefix: "", at: calm.about.at, facts },
  });
}

test("a refusal that no permission lifts still says what would help", async () => {
  const hint = "Unarchive the repository.";
  const problems = await problemsAfter(new ProblemError({ code: "SP3004", message: "Repository was archived.", hint }));
  expect(problems).toMatchObject([{ code: "SP3004", hint: expect.stringContaining(hint) }]);
});

test("a refusal without a hint gets the needed permission, and what is no refusal does not", async () => {
  const needed = "The account needs write access to commit statuses (statuses: write), and must see what it writes to.";
  const hintOf = async (code: "SP3004" | "SP3101") => {
    const [problem] = await problemsAfter(new ProblemError({ code, message: "No." }));
    return problem?.hint;
  };
  expect([await hintOf("SP3004"), await hintOf("SP3101")]).toEqual([needed, undefined]);
});

test("no plan shows whether a result was published although the answer was lost", async () => {
  const hint = "Make a new plan: it shows what is left to do.";
  const problems = await problemsAfter(new ProblemError({ code: "SP3105", message: "Its answer was lost.", hint }));
  expect(problems).toMatchObject([{ code: "SP3105", hint: expect.not.stringContaining("plan") }]);
});

test("a conflict with another edit is not to be answered by a plan, which publishes nothing of an apply", async () => {
  const conflict = new ProblemError({ code: "SP3006", message: "Conflict.", hint: "Make a new plan." });
  for (const target of [{ as: "wiki", page: "1" }, { as: "review" }] as const)
    expect(await problemsAfter(conflict, target)).toMatchObject([{ hint: "The next run publishes again." }]);
});

test("names from outside never appear in a description", async () => {
  await using press = await openPress();
  await press.publish(status, made(hostilePlan()));
  expect(statuses(press)[0]?.description).toMatch(/^refused for \d+ reasons, \d+ drifted before, \d+ unknown$/);
});
