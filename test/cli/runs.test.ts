import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { attemptProblem, interrupted } from "../../src/clients/http/outcome.ts";
import type { Problem } from "../../src/core/problem.ts";
import { journalLines } from "../../src/engine/journal/journal.ts";
import { pastRun } from "../../src/engine/journal/past-runs.ts";
import { renderRun, renderRuns } from "../../src/reports/text/runs-text.ts";
import { type Desk, openDesk, workflows } from "../support/commands.ts";
import { problemsOf } from "../support/lab.ts";

const manifests = `${workflows("website", false)}---\nkind: AnalysisGroup\nspec: { name: newcomers }\n`;
const plain = { width: 100, color: false };

/** Applies what is declared, in this process. */
async function applied(desk: Desk): Promise<string> {
  const workspace = desk.open();
  const planned = await workspace.plan();
  if (planned.is === "wrong") throw new Error("The manifests are wrong.");
  return (await workspace.apply(planned)).run;
}

const path = (desk: Desk, run: string) => join(desk.path, ".setpoint/runs", `${run}.jsonl`);

test("runs lists the runs of the journals, and revert undoes one of them", async () => {
  await using desk = await openDesk(manifests);
  const run = await applied(desk);
  const { code, out } = await desk.run(["runs", "--json"]);
  expect({ code, ...JSON.parse(out) }).toMatchObject({
    code: 0,
    runs: [
      {
        run: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d{6}Z-/),
        at: expect.any(String),
        by: expect.stringContaining(""),
        state: "ended",
        torn: false,
        damaged: [],
        changes: [{ result: "applied" }, { result: "applied" }],
        open: [],
      },
    ],
  });
  const failed = await desk.run(["revert", run, "--yes"], { SETPOINT_HOSTING_TOKEN: "auditor-secret" });
  expect(failed).toMatchObject({ code: 1, out: expect.stringContaining("1 applied, 1 failed, 0 skipped.") });
  const back = await desk.run(["revert", run, "--yes"]);
  expect(back.out).toContain("1 applied, 0 failed, 0 skipped.");
  expect(back.out).toContain("If the manifests still say what the run applied");
  expect(back.code).toBe(0);
  expect(desk.sandbox.state().analysis.groups.map(({ name }) => name)).not.toContain("newcomers");
  expect(desk.open().runs()).toHaveLength(3);
});

test("a revert takes the consent that the guard which refuses it names", async () => {
  await using desk = await openDesk(manifests);
  const run = await applied(desk);
  appendFileSync(join(desk.path, "setpoint.yaml"), "guards: { maxDeletes: 0 }\n");
  // Without a terminal and without --yes it asks nothing and writes nothing.
  expect(await desk.run(["revert", run])).toMatchObject({ code: 1, out: expect.stringContaining("Pass --yes") });
  const refused = await desk.run(["revert", run, "--yes", "--no-deletes"]);
  expect(refused).toMatchObject({ code: 4, out: expect.stringContaining("--no-deletes forbids") });
  const [consent = ""] = /--max-deletes \d+/.exec(refused.out) ?? [];
  expect(await desk.run(["revert", run, "--yes", ...consent.split(" ")])).toMatchObject({
    code: 0,
    out: expect.stringContaining("2 applied, 0 failed, 0 skipped."),
  });
});

test("a revert that needs a person for some changes says so, even if it is only planned", async () => {
  const gone = "---\nkind: AnalysisGroup\nmetadata: { state: absent }\nspec: { name: quality }\n";
  await using desk = await openDesk(`${workflows("website", false)}${gone}`);
  const run = await applied(desk);
  const { code, out } = await desk.run(["revert", run, "--dry-run"]);
  expect(out).toContain("SP4007");
  expect(out).toMatch(
    /setActionsPermissions\.\n(.*\n)*\nanalysis {2}SP4007 .*\n(.*\n)*1 change of the run cannot be undone by a plan\.\n/,
  );
  expect(out).toContain(
    "\nIf the manifests still say what the run applied, revert them too, or the next apply brings it back.\n",
  );
  expect((await desk.run(["revert", run, "--dry-run"], { COLUMNS: "60" })).out).toContain(
    "\nIf the manifests still say what the run applied, revert them\ntoo, or the next apply brings it back.\n",
  );
  expect(code).toBe(2);
  const planned = await desk.run(["revert", run, "--dry-run", "--json"]);
  expect({ code: planned.code, err: planned.err, ...JSON.parse(planned.out) }).toMatchObject({
    code: 2,
    err: "",
    version: 1,
    plan: { calls: [{ operation: "setActionsPermissions" }] },
    left: [{ code: "SP4007", service: "analysis" }],
  });
  expect(desk.open().runs()).toHaveLength(1);
  const made = await desk.run(["revert", run, "--yes", "--json"]);
  expect({ code: made.code, ...JSON.parse(made.out) }).toMatchObject({ code: 2, outcomes: [{ result: "applied" }] });
  expect(made.err).toContain("SP4007");
  expect(made.err).toContain("1 change of the run cannot be undone by a plan.");
});

test("a run of which nothing can be reverted is not said to declare nothing", async () => {
  await using desk = await openDesk("kind: AnalysisGroup\nmetadata: { state: absent }\nspec: { name: quality }\n");
  const run = await applied(desk);
  const { code, out } = await desk.run(["revert", run, "--dry-run"]);
  expect(out).toMatch(/^analysis {2}SP4007 /);
  expect(out).not.toContain("no resource is declared");
  expect(code).toBe(2);
});

test("a run that changed nothing is said to leave nothing to undo, not to declare nothing", async () => {
  await using desk = await openDesk(manifests);
  const run = await applied(desk);
  const journal = path(desk, run);
  writeFileSync(journal, `${readFileSync(journal, "utf8").split("\n", 1)[0]}\n`);
  expect(await desk.run(["revert", run, "--dry-run"])).toMatchObject({
    code: 0,
    out: "The run changed nothing, so there is nothing to undo.\n",
  });
});

test("in a folder without a workspace, runs names the missing file instead of finding no run", async () => {
  await using desk = await openDesk(manifests);
  expect(await desk.run(["runs"])).toMatchObject({ code: 0, out: "No run has left a journal here.\n" });
  await desk.write("manifests/all.yaml", "kind: Nonesuch\nspec: {}\n");
  expect(await desk.run(["runs"])).toMatchObject({ code: 0, out: "No run has left a journal here.\n" });
  const { code, out } = await desk.run(["runs", "--workspace", "nope"]);
  expect(out).toMatch(/^setpoint\.yaml:1:1 {2}SP1013 .*"nope"\.\n {2}Hint: .*\nNo run was found\.\n$/s);
  expect(code).toBe(1);
});

test("a run whose calls a second interrupt ended is not complete, even if no call was left", () => {
  const problem = attemptProblem({ is: "lost", problem: interrupted }, "write", 0);
  const stateAfter = (result: string, why?: Problem) => {
    const outcome = { id: 1, result, problem: why };
    const entries = [
      { event: "outcome", outcome },
      { event: "end", outcomes: [] },
    ];
    return pastRun({
      name: "a-run",
      lines: journalLines(entries.map((entry) => `${JSON.stringify(entry)}\n`).join("")),
    }).state;
  };
  expect(stateAfter("lost", problem)).toBe("stopped");
  expect(stateAfter("lost", { ...problem, message: "The answer was lost." })).toBe("ended");
  expect(stateAfter("failed", { code: "SP3009", message: "" })).toBe("ended");
});

test("a run says why a change failed, as its journal does", () => {
  const outcomes = [
    { address: "review/BranchLock/a:b", result: "failed", problem: { code: "SP3006", message: "It was locked." } },
    { address: "review/BranchLock/a:c", result: "skipped", problem: { code: "SP5003", message: "It was ended." } },
  ];
  const run = pastRun({ name: "a-run", lines: journalLines(`${JSON.stringify({ event: "end", outcomes })}\n`) });
  expect(renderRun(run, plain)).toBe(
    [
      "Run a-run, ended, 1 failed, 1 skipped",
      "  failed   change review/BranchLock/a:b",
      "      SP3006  It was locked.",
      "  skipped  change review/BranchLock/a:c",
    ].join("\n"),
  );
});

test("each entry of a journal is parsed once, and of many journals only those of the run that is asked for", async () => {
  let reads = 0;
  const entry = {
    event: "outcome",
    get outcome() {
      reads++;
      return { id: 1, result: "skipped", problem: { code: "SP5003", message: "" } };
    },
  };
  const entries = [entry, { event: "end", outcomes: [] }];
  expect(pastRun({ name: "a-run", lines: { entries, torn: false, damaged: [] } }).state).toBe("stopped");
  expect(reads).toBe(1);

  await using desk = await openDesk(manifests);
  const many = `${JSON.stringify({ event: "before" })}\n`.repeat(1000);
  for (const run of ["a", "b"]) await desk.write(`.setpoint/runs/${run}.jsonl`, many);
  const parsing = vi.spyOn(JSON, "parse");
  onTestFinished(() => parsing.mockRestore());
  desk.open().run("a");
  expect(parsing.mock.calls.filter(([line]) => String(line).includes("before"))).toHaveLength(1000);
});

test("a run that was cut off, torn or damaged says so and names the open calls", async () => {
  await using desk = await openDesk(manifests);
  const run = await applied(desk);
  const lines = readFileSync(path(desk, run), "utf8").split("\n");
  const intent = lines.findIndex((line) => line.includes('"intent"'));
  writeFileSync(path(desk, run), `${lines.slice(0, intent + 1).join("\n")}\n{"at":"2027`);
  const workspace = desk.open();
  const one = { ...workspace.run(run), run: "a-run", by: "me@here" };
  expect(one).toMatchObject({
    state: "open",
    torn: true,
    damaged: [],
    changes: [{ result: "unknown" }],
    open: [{ id: 1 }],
  });
  expect(renderRuns([one], plain)).toBe(
    "a-run  me@here  cut off, or still running, last line torn  1 unknown, 1 call open",
  );
  expect(renderRun(one, plain)).toMatch(
    /^Run a-run, by me@here.*\n {2}unknown {2}\w+ \S+\n {2}open: \S+ of \S+\nThe journal does not say what became/,
  );
  appendFileSync(path(desk, run), `\n${lines[intent + 1]}\n`);
  expect(workspace.run(run)).toMatchObject({ torn: false, damaged: [intent + 2], open: [{ id: 1 }, { id: 2 }] });
  appendFileSync(path(desk, run), `${JSON.stringify({ event: "outcome", outcome: { id: 1, result: "done" } })}\n`);
  expect(workspace.run(run).changes.map(({ result }) => result)).toEqual(["sent", "unknown"]);
  expect(renderRuns([{ ...one, torn: false, damaged: [3], open: [] }], plain)).toContain("damaged in line 3");
});

test("a run that does not exist is reported first, and only a similar name is suggested", async () => {
  await using desk = await openDesk(manifests);
  expect((await desk.run(["revert", "nope"])).out).toMatchInlineSnapshot(`
    "SP1018  There is no journal of a run "nope" in .setpoint/runs.
      Hint: Nothing was applied in this workspace folder yet. A run is reverted where it was applied, or
        where its .setpoint/runs was kept.
    "
  `);
  const run = await applied(desk);
  const hintOf = async (name: string) => (await problemsOf((async () => desk.open().run(name))()))[0]?.hint;
  expect(await hintOf("nope")).toBe("`setpoint runs` lists them.");
  expect(await hintOf(`${run}x`)).toBe(`\`setpoint runs\` lists them. Did you mean ${run}?`);
});
