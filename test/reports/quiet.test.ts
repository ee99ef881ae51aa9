import { expect, test } from "vitest";
import { renderExamined } from "../../src/cli/commands/doctor.ts";
import { renderPlan } from "../../src/reports/text/plan-text.ts";
import { renderReport } from "../../src/reports/text/report-text.ts";
import { lock, workflows } from "../support/commands.ts";
import { openDirectLab } from "../support/lab.ts";

const screen = { width: 80, color: false, quiet: true };

test("a quiet plan has only unknown resources, refusals and the summary", async () => {
  await using lab = await openDirectLab({ env: { SETPOINT_REVIEW_USERNAME: "nobody" } });
  const plan = await lab.plan({
    now: workflows("website", false) + lock("platform/core", "release-2.4"),
    consent: {},
  });
  const problem = { code: "SP2002", message: "A guard refuses this." } as const;
  const refused = { ...plan, refusals: [problem] };
  const shown = renderPlan(refused, { ...screen, all: false });
  expect(shown).toMatch(/^review {3}http:\S+\/review +\d reads?\n {2}\? 1 resource/m);
  expect(shown).toContain("SP2002  A guard refuses this.");
  expect(shown).toContain("0 in sync   1 pending   0 drift   0 conflicts   1 unknown");
  expect(shown).not.toContain("ActionsPermission meridian-kites/website");
  expect(renderPlan(refused, { ...screen, quiet: false, all: false })).toContain(
    "ActionsPermission meridian-kites/website",
  );
});

test("a quiet plan has unknown resources of services that the trusted rules lack", async () => {
  await using lab = await openDirectLab();
  const plan = await lab.plan(workflows("website", false));
  const problem = { code: "SP1023", message: "The rules at origin/main have no service.", hint: "Merge it." } as const;
  const unknown = [{ address: "new/BranchLock/a:b", service: "new", problem }];
  const shown = renderPlan({ ...plan, unknown }, { ...screen, all: false });
  expect(shown.split("\n").slice(0, 4)).toEqual([
    "  ? 1 resource  The rules at origin/main have no service.                 SP1023",
    "        new/BranchLock/a:b",
    "      Hint: Merge it.",
    "",
  ]);
});

test("a quiet report has only what was not applied, and the counts", async () => {
  await using lab = await openDirectLab();
  const report = await lab.apply(workflows("website", false));
  expect(renderReport(report, screen)).toMatch(/^1 applied, 0 failed, 0 skipped\./);
  expect(renderReport(report, { ...screen, quiet: false })).toContain("verified");
  const failed = report.outcomes.map((outcome) => ({
    ...outcome,
    result: "failed" as const,
    problem: { code: "SP3007", message: "No." } as const,
  }));
  expect(renderReport({ ...report, outcomes: failed }, screen)).toContain("SP3007  No.");
});

test("a quiet doctor has only what is wrong or unknown", () => {
  const finding = { says: "is well", result: "ok" } as const;
  const services: Parameters<typeof renderExamined>[0] = [
    { name: "wiki", role: "wiki", url: "http://wiki.example", findings: [{ ...finding, check: "identity" }] },
    {
      name: "review",
      role: "review",
      url: "http://review.example",
      findings: [
        { ...finding, check: "identity" },
        { check: "version", says: "is too old", result: "wrong" as const },
      ],
    },
  ];
  const shown = renderExamined(services, 0, screen);
  expect(shown).not.toContain("wiki");
  expect(shown).not.toContain("identity");
  expect(shown).toContain("is too old");
  expect(shown).toContain("2 services, 3 findings: 1 wrong, 0 unknown.");
});
