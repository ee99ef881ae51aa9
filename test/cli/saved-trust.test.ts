import { expect, test } from "vitest";
import { ProblemError } from "../../src/core/problem.ts";
import type { Plan } from "../../src/core/run/plan.ts";
import type { OpenOptions } from "../../src/setpoint.ts";
import { type Desk, openDesk, workflows, workspaceText } from "../support/commands.ts";
import { forged } from "../support/forge.ts";
import { commitAll, gitIn } from "../support/git.ts";

/** A clone whose `main` has one guard, while the pull request that is checked out loosens it and adds a switch. */
async function openPull(): Promise<Desk> {
  const desk = await openDesk(workflows("website", false), { settings: "guards: { maxDeletes: 1 }\n" });
  commitAll(desk.path, "Merged");
  gitIn(desk.path, "checkout", "--quiet", "-b", "pull");
  await setRules(desk, "guards: { maxDeletes: 500 }\n");
  await desk.write("manifests/all.yaml", workflows("website", false) + workflows("handbook", false));
  commitPull(desk);
  return desk;
}

function commitPull(desk: Desk): void {
  gitIn(desk.path, "add", "--all", ".");
  gitIn(desk.path, "commit", "--quiet", "--message", "Pull");
}

function setRules(desk: Desk, rules: string): Promise<void> {
  return desk.write("setpoint.yaml", `${workspaceText(desk.sandbox.url)}${rules}`);
}

/** Moves `main` to a commit whose workspace has other rules; the checkout stays. */
async function moveMain(desk: Desk): Promise<void> {
  gitIn(desk.path, "checkout", "--quiet", "main");
  await setRules(desk, "guards: { maxDeletes: 7 }\n");
  gitIn(desk.path, "commit", "--quiet", "--all", "--message", "Other rules");
  gitIn(desk.path, "checkout", "--quiet", "pull");
}

async function saved(desk: Desk, options: OpenOptions = { trust: "main" }): Promise<Plan> {
  const workspace = desk.open(options);
  const planned = await workspace.plan();
  if (planned.is === "wrong") throw new ProblemError(...planned.problems);
  return workspace.save(planned);
}

async function problemsOf(desk: Desk, plan: Plan, options: OpenOptions = {}): Promise<readonly string[]> {
  const resumed = await desk.open(options).resume(JSON.stringify(plan));
  return resumed.is === "wrong" ? resumed.problems.map(({ code, message }) => `${code} ${message}`) : [];
}

test("a plan judged by trusted rules is resumed by those of the same commit, wherever the branch has moved", async () => {
  await using desk = await openPull();
  const main = gitIn(desk.path, "rev-parse", "main").trim();
  const plan = await saved(desk);
  expect(plan.trusted).toMatchObject({ ref: "main", commit: main, changes: [{ path: ["guards", "maxDeletes"] }] });
  expect(await problemsOf(desk, plan, { trust: "main" })).toEqual([]);
  await moveMain(desk);
  await desk.write("plan.json", JSON.stringify(plan));
  const { code, out } = await desk.run(["apply", "plan.json"]);
  expect(out).toContain("2 applied");
  expect(code).toBe(0);
});

test("the command that applies a plan judged by trusted rules does not name the ref again", async () => {
  await using desk = await openPull();
  const { out } = await desk.run(["plan", "--trust", "main", "--out", "plan.json", "-w", "setpoint.yaml"]);
  const [, command = ""] = /: setpoint (apply .*)\n$/.exec(out) ?? [];
  expect(command).toBe("apply plan.json --workspace setpoint.yaml");
  expect((await desk.run(command.split(" "))).code).toBe(0);
});

test("a workspace with a trusted ref does not resume a plan judged by other rules", async () => {
  await using desk = await openPull();
  const main = gitIn(desk.path, "rev-parse", "main").trim();
  const [trusting, own] = [await saved(desk), await saved(desk, {})];
  await moveMain(desk);
  const moved = gitIn(desk.path, "rev-parse", "main").trim();
  expect(await problemsOf(desk, trusting, { trust: "main" })).toEqual([
    `SP2004 The rules that the plan was judged by are those at main, ${main}, not those at main, ${moved}.`,
  ]);
  expect(await problemsOf(desk, own, { trust: "main" })).toEqual([
    `SP2004 The rules that the plan was judged by are its workspace's own, not those at main, ${moved}.`,
  ]);
  expect(await problemsOf(desk, own)).toEqual([]);
  expect(desk.sandbox.requests().filter(({ method }) => method !== "GET")).toEqual([]);
});

test("a file edited to name no trusted rules, others, or other differences is refused", async () => {
  await using desk = await openPull();
  const plan = await saved(desk);
  await moveMain(desk);
  const { trusted, ...rest } = plan;
  if (trusted === undefined) throw new Error("The plan has no trusted rules.");
  const edited = (own: Partial<Plan>) =>
    problemsOf(
      desk,
      forged({ ...rest, ...own }, (one) => one),
    );
  const rules = "SP2004 The manifests are not those of the plan: workspace rules changed:";
  expect(await edited({})).toEqual([`${rules} trusted, guards.`]);
  const commit = gitIn(desk.path, "rev-parse", "main").trim();
  expect(await edited({ trusted: { ...trusted, commit } })).toEqual([`${rules} trusted, guards.`]);
  expect(await edited({ trusted: { ...trusted, changes: [] } })).toEqual([
    "SP2005 What the plan says about trusted rules does not follow from the manifests.",
  ]);
});
