import { expect, test } from "vitest";
import { renderReport } from "../../src/reports/text/report-text.ts";
import { emptyPlan, fullPlan, triggers } from "./fixture.ts";
import { fullReport } from "./report-fixture.ts";

test("shows every outcome, with what to do about it", () => {
  expect(renderReport(fullReport, { width: 80, color: false })).toMatchInlineSnapshot(`
    "review    ✓ platform/core     2 changes in 1 call, verified                0.2 s
    review    ✗ platform/ui       1 failed                                     0.2 s
    wiki      ✗ 48213             1 stale                                      0.3 s
    analysis  ? users             1 unknown                                   10.0 s
    analysis  - roles             1 skipped
    hosting   × 1 needs a person  see below
    analysis  - 13 skipped        unknown when planned

    review/BranchLock/platform/ui:release-2.4  failed
      review.modifyProjectAccess  SP3007  The service refuses the request: branch is
          protected.
        Hint: Look at what the service says, and correct the manifest.
    wiki/WikiPage/48213  stale
      SP4003  The page was changed since the plan was made.
        Hint: Plan again.
    analysis/AnalysisUser/build-bot  unknown
      SP3105  It is not known whether the change took effect.
        Hint: Plan again: the plan shows the current state.
    analysis/AnalysisRole/interns  skipped
      analysis.deleteRole  SP4002  It needs analysis/AnalysisUser/build-bot, which
          was not applied.
    hosting/HostKeys/hosting  needs a person
      The service presents another host key than the manifest names. Find out who
      changed it before anybody connects.

    2 applied, 1 failed, 14 skipped, 1 stale, 1 unknown, 1 needs a person.
    Run 2027-01-14T020011Z-7f3a, journal in
    .setpoint/runs/2027-01-14T020011Z-7f3a.jsonl."
  `);
});

test("a successful apply has one line per remote object", () => {
  const plan = { ...emptyPlan, calls: fullPlan.calls.slice(0, 1), services: fullPlan.services };
  const report = {
    ...fullReport,
    plan,
    calls: fullReport.calls.slice(0, 1),
    outcomes: fullReport.outcomes.slice(0, 2),
  };
  expect(renderReport(report, { width: 120, color: false })).toMatchInlineSnapshot(`
    "review  ✓ platform/core  2 changes in 1 call, verified                                                             0.2 s

    2 applied, 0 failed, 0 skipped. Run 2027-01-14T020011Z-7f3a, journal in .setpoint/runs/2027-01-14T020011Z-7f3a.jsonl."
  `);
});

test("shows what was started after the apply, with the reason for a failure", () => {
  const plan = { ...emptyPlan, triggers };
  const problem = { code: "SP3005", service: "ci", operation: "buildJob", message: "There is no such job." } as const;
  const sent = [
    { id: 6, result: "done" as const, duration: 40 },
    { id: 7, result: "failed" as const, duration: 30, problem },
  ];
  const report = { ...fullReport, plan, calls: [], outcomes: [], triggers: sent };
  expect(renderReport(report, { width: 80, color: false })).toMatchInlineSnapshot(`
    "hosting  ✓ dispatchWorkflow  sent after the apply                          0.0 s
    ci       ✗ buildJob          failed                                        0.0 s

    ci.buildJob  SP3005  There is no such job.

    0 applied, 0 failed, 0 skipped.
    Run 2027-01-14T020011Z-7f3a, journal in
    .setpoint/runs/2027-01-14T020011Z-7f3a.jsonl."
  `);
});

test("one remote object can be partly in sync", () => {
  const [first, second] = fullReport.outcomes;
  if (first === undefined || second === undefined) throw new Error("The fixture has two outcomes.");
  const plan = { ...emptyPlan, calls: fullPlan.calls.slice(0, 1), services: fullPlan.services };
  const outcomes = [first, { ...second, result: "failed" as const }];
  const text = renderReport({ ...fullReport, plan, outcomes }, { width: 80, color: false });
  expect(text).toMatch(/^review {2}✗ platform\/core {2}1 applied, 1 failed +0\.2 s\n/);
});

test("results are in one column, and a name that leaves no room for some result has a line of its own", () => {
  const names = ["roles", "access of firmware/bootloader", "workflow permissions of meridian-kites/handbook"];
  const calls = names.map((name, id) => ({
    ...{ id, service: "review", operation: "update", args: {}, phase: 0 },
    ...{ lane: `review ${name}`, carries: id === 0 ? ["a/B/0", "a/B/x"] : [`a/B/${id}`] },
  }));
  const report = {
    ...fullReport,
    plan: { ...emptyPlan, calls },
    calls: calls.map(({ id }) => ({ id, result: "done" as const, duration: 1500 })),
    outcomes: calls.flatMap(({ carries }) => carries.map((address) => ({ address, result: "applied" as const }))),
  };
  const lanes = (width: number) => renderReport(report, { width, color: false }).split("\n\n")[0];
  expect(lanes(100)).toMatchInlineSnapshot(`
    "review  ✓ roles                                            2 changes in 1 call, verified       1.5 s
    review  ✓ access of firmware/bootloader                    1 change in 1 call, verified        1.5 s
    review  ✓ workflow permissions of meridian-kites/handbook  1 change in 1 call, verified        1.5 s"
  `);
  expect(lanes(80)).toMatchInlineSnapshot(`
    "review  ✓ roles                          2 changes in 1 call, verified     1.5 s
    review  ✓ access of firmware/bootloader  1 change in 1 call, verified      1.5 s
    review  ✓ workflow permissions of meridian-kites/handbook
          1 change in 1 call, verified                                         1.5 s"
  `);
});

const refused = { code: "SP3004", service: "review", message: "The service answered 403: not permitted." } as const;

function failing(count: number, operationOf: (index: number) => string) {
  const outcomes = Array.from({ length: count }, (_none, index) => ({
    address: `review/BranchLock/p${index}:main`,
    result: "failed" as const,
    problem: { ...refused, operation: operationOf(index) },
  }));
  return { ...fullReport, plan: emptyPlan, calls: [], outcomes };
}

test("a problem of several operations is not put down to one of them", () => {
  const text = (operationOf: (index: number) => string) =>
    renderReport(failing(2, operationOf), { width: 80, color: false });
  expect(text(() => "setAccess")).toContain("\n  review.setAccess  SP3004  The service");
  expect(text((index) => (index === 0 ? "setAccess" : "moveChange"))).toContain(
    "review/BranchLock/p0:main  failed\nreview/BranchLock/p1:main  failed\n  review  SP3004  The service",
  );
});

test("of many resources with the same problem it lists some, and says which command lists the rest", () => {
  const report = failing(1234, () => "setAccess");
  const lines = (options: object) => renderReport(report, { width: 120, color: false, ...options }).split("\n");
  const [at, command] = [19, "setpoint runs 2027-01-14T020011Z-7f3a --workspace 'my tools'"];
  expect(lines({ given: ["--workspace", "my tools"] }).slice(at - 1, at + 2)).toEqual([
    "review/BranchLock/p18:main  failed",
    `… 1,215 more failed; ${command} lists them`,
    "  review.setAccess  SP3004  The service answered 403: not permitted.",
  ]);
  expect(lines({ all: true })).toContain("review/BranchLock/p1233:main  failed");
  expect(lines({})).toContain("0 applied, 1,234 failed, 0 skipped.");
});
