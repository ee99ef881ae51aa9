import { describe, expect, test } from "vitest";
import { ProblemError } from "../../../src/core/problem.ts";
import type { Metadata } from "../../../src/core/resource.ts";
import { analysisIssue } from "../../../src/reconcilers/analysis/analysis-issue.ts";
import { type Lab, openLab, problemsOf } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";
import { readerWith } from "./live.ts";

function issue(id: number, spec: Readonly<Record<string, unknown>>, metadata: Partial<Metadata> = {}): string {
  return document("AnalysisIssue", { project: "core", id, ...spec }, metadata);
}

function issuesIn({ sandbox }: Lab) {
  return sandbox
    .state()
    .analysis.issues.map(({ id, status, owner, history }) => [
      id,
      status,
      owner,
      history.map(({ comment }) => comment),
    ]);
}

const ignored = { status: "Ignore", owner: "mlind", comment: "Test code, ü" };

describe("AnalysisIssue", () => {
  test("budget: a triage list is one read, one write per decision and one read to verify", async () => {
    await using lab = await openLab();
    const list = issue(101, ignored) + issue(102, { status: "Analyze" }) + issue(103, ignored);
    const report = await lab.apply(list);
    expect(report.plan.calls.map(({ operation, args }) => [operation, args])).toEqual([
      ["updateStatus", { project: "core", ids: [101, 103], ...ignored }],
      ["updateStatus", { project: "core", ids: [102], status: "Analyze" }],
    ]);
    expect(report.outcomes.map(({ result }) => result)).toEqual(["applied", "applied", "applied"]);
    expect(lab.asked()).toEqual(["search", "projects", "updateStatus", "updateStatus", "search"]);
    expect(issuesIn(lab)).toEqual([
      [101, "Ignore", "mlind", [ignored.comment]],
      [102, "Analyze", "jdoe", [""]],
      [103, "Ignore", "mlind", [ignored.comment]],
    ]);
    expect((await lab.plan(list)).changes).toEqual([]);
    expect(lab.asked()).toEqual(["search"]);
  });

  test("writes only what differs, and does not count another comment as a difference", async () => {
    await using lab = await openLab();
    const report = await lab.apply(issue(102, { status: "Fix", owner: "mlind", comment: "Moved" }));
    expect(report.plan.calls.map(({ args }) => args)).toEqual([
      { project: "core", ids: [102], owner: "mlind", comment: "Moved" },
    ]);
    expect((await lab.plan(issue(102, { owner: "mlind", comment: "Other" }))).changes).toEqual([]);
  });

  test("a status in another case is the same one: the service writes it its own way", async () => {
    await using lab = await openLab();
    lab.sandbox.change(({ analysis: { issues } }) => {
      for (const one of issues) one.status = "Not a Problem";
    });
    expect((await lab.plan(issue(102, { status: "Not a problem" }))).changes).toEqual([]);
    expect((await lab.plan(issue(102, { status: "Fix" }))).changes).toMatchObject([
      { fields: [{ live: "Not a Problem", desired: "Fix" }] },
    ]);
  });

  test("clearing the owner is left to a person, since no call can do it", async () => {
    await using lab = await openLab();
    await lab.apply(issue(102, { owner: "mlind" }));
    const { changes, calls } = await lab.plan(issue(102, { owner: "unowned" }));
    expect(changes).toMatchObject([{ action: "check", instruction: expect.stringContaining("but not removed") }]);
    expect(calls).toEqual([]);
    lab.sandbox.change(({ analysis }) => {
      for (const one of analysis.issues) one.owner = "unowned";
    });
    expect((await lab.plan(issue(102, { owner: "unowned" }))).inSync).toHaveLength(1);
    await lab.apply(issue(102, { owner: "mlind" }));
    const back = await lab.revert(issue(102, { owner: "mlind" }));
    expect(back.plan.changes).toMatchObject([{ action: "check" }]);
  });

  test("reports which side changed: the manifest, or the service through manual triage", async () => {
    await using lab = await openLab();
    const verdicts = async (now: string, base: string) =>
      (await lab.plan({ now: issue(102, { status: now }), base: issue(102, { status: base }) })).changes.map(
        ({ verdict }) => verdict,
      );
    expect(await verdicts("Ignore", "Fix")).toEqual(["pending"]);
    expect(await verdicts("Ignore", "Ignore")).toEqual(["drift"]);
  });

  test("looks up an issue by its id if the search does not return it", async () => {
    const asked: unknown[] = [];
    const read = readerWith({
      search: async () => [{ id: "101", status: "Fix", owner: "a" }, { found: 2 }],
      issueDetails: async (args) => {
        asked.push(args);
        return [{ id: 102, status: "Ignore", owner: "b" }];
      },
    });
    const wanted = [101, 102].map((id) => ({ project: "core", id, status: "Fix" }));
    const found = await analysisIssue.observe(read, "", wanted, new Date(0));
    expect(found.get("core:101")).toMatchObject({ is: "present", spec: { status: "Fix" } });
    expect(found.get("core:102")).toMatchObject({ is: "present", spec: { status: "Ignore", owner: "b" } });
    expect(asked).toEqual([{ project: "core", id: 102 }]);
  });

  test("an issue that cannot be read, or whose record lacks a stated field, is unknown, and no other one", async () => {
    const read = readerWith({
      search: async () => [{ id: 1, status: "Fix" }],
      issueDetails: async () => {
        throw new ProblemError({ code: "SP3004", message: "No right to see the issue." });
      },
    });
    const wanted = [
      { project: "core", id: 1, status: "Fix" },
      { project: "core", id: 2, status: "Fix" },
      { project: "core", id: 1, owner: "a" },
    ];
    const observed = async (...specs: typeof wanted) => [
      ...(await analysisIssue.observe(read, "", specs, new Date(0))).values(),
    ];
    expect(await observed(...wanted.slice(0, 2))).toMatchObject([
      { is: "present" },
      { is: "unknown", problem: { code: "SP3004" } },
    ]);
    expect(await observed(...wanted.slice(2))).toMatchObject([{ is: "unknown", problem: { code: "SP3103" } }]);
  });

  test("an issue that the project does not have needs a person, and blocks no other", async () => {
    await using lab = await openLab();
    const plan = await lab.plan(issue(999, ignored) + issue(101, ignored));
    expect(plan.changes).toMatchObject([
      { key: "core:101", action: "update" },
      { key: "core:999", action: "check", instruction: expect.stringContaining("999") },
    ]);
  });

  test("is unknown in a project that the service does not have", async () => {
    await using lab = await openLab();
    const plan = await lab.plan(issue(101, { ...ignored, project: "nowhere" }));
    expect(plan.unknown).toMatchObject([{ problem: { code: "SP3005", message: expect.stringContaining("nowhere") } }]);
  });

  test("keeps its status when it leaves the manifests, cannot be absent, and must state something", async () => {
    await using lab = await openLab();
    expect((await lab.plan({ now: "", base: issue(101, ignored) })).changes).toEqual([]);
    expect(await problemsOf(lab.plan(issue(101, ignored, { state: "absent" })))).not.toEqual([]);
    expect(analysisIssue.spec.safeParse({ project: "p", id: 1, comment: "c" }).success).toBe(false);
  });
});
