import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { readShell } from "../../src/cli/results/report-files.ts";
import type { Plan } from "../../src/core/run/plan.ts";
import { visible } from "../../src/reports/text/style.ts";
import type { PlannedRun } from "../../src/reports/text/summary.ts";
import { change, emptyPlan, fullPlan, refusals } from "../reports/fixture.ts";
import { fullReport } from "../reports/report-fixture.ts";
import { hostilePlan, hostileReport } from "../support/hostile-plan.ts";
import { hostileTexts } from "../support/hostile-text.ts";
import { problemsOf } from "../support/lab.ts";
import { elementsOf, pageOf, policyHash } from "../support/page.ts";
import { type Tour, takeTour } from "../support/tour.ts";
import { rowOf, shown } from "./rows.ts";

let tour: Tour;
beforeAll(async () => {
  tour = await takeTour();
});

const hostile: readonly (readonly [string, PlannedRun])[] = [
  ["plan", { plan: hostilePlan() }],
  ["drift", { plan: asDrift(hostilePlan()) }],
  ["apply", { plan: hostilePlan(), report: hostileReport() }],
];

function asDrift(plan: Plan): Plan {
  return { ...plan, about: { ...plan.about, command: "drift" } };
}

describe("the file", () => {
  test("allows only its own style and program, by their hashes", async () => {
    const elements = elementsOf(await pageOf(tour.plan));
    const policy = elements.find(({ attributes }) => attributes["http-equiv"] === "Content-Security-Policy");
    const style = elements.find(({ name }) => name === "style")?.text ?? "";
    const script =
      elements.find(({ name, attributes }) => name === "script" && attributes.type === "module")?.text ?? "";
    expect(policy?.attributes.content?.split("; ")).toEqual([
      "default-src 'none'",
      `script-src '${policyHash(script)}'`,
      `style-src '${policyHash(style)}'`,
      "base-uri 'none'",
      "form-action 'none'",
    ]);
  });

  test("loads nothing, and has no style or handler in an attribute", async () => {
    const attributes = elementsOf(await pageOf(tour.plan)).flatMap((element) => Object.keys(element.attributes));
    expect(attributes.filter((name) => /^(src|href|style|srcset|data|on.*)$/.test(name))).toEqual([]);
  });

  test.each(hostile)(
    "of a hostile %s has the elements of a harmless one, and its texts only in the data",
    async (_name, subject) => {
      const calm = elementsOf(await pageOf(tour.plan)).map(({ name }) => name);
      const html = await pageOf(subject);
      expect(elementsOf(html).map(({ name }) => name)).toEqual(calm);
      expect(html).not.toMatch(/<script>alert|<!-- a|<img|##vso\[/);
      expect(html).not.toMatch(/(?![\n\t \u3000])[\p{Cc}\p{Cf}\p{Cs}\p{Z}]/u);
    },
  );

  test.each(hostile)("of a hostile %s makes every invisible character visible", async (_name, subject) => {
    const texts = JSON.stringify(await shown(subject)).replaceAll("\\n", " ");
    expect(texts).not.toMatch(
      /\\u[0-9a-f]{4}|\\[btfr]"|(?![ \u3000])[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}]/u,
    );
  });

  test("shows every hostile text in visible characters", async () => {
    const { rows } = await shown({ plan: hostilePlan() });
    const addresses = new Set(rows.map(({ address }) => address));
    const lost = hostileTexts.filter((text) => !addresses.has(`review/BranchLock/${visible(text)}`));
    expect(lost).toEqual([]);
  });

  test("is the same for the same subject, and is smaller than 300 kB for the tour", async ({ annotate }) => {
    const html = await pageOf(tour.plan);
    expect(await pageOf(tour.plan)).toBe(html);
    const shell = await readShell();
    await annotate(`shell ${shell.length} bytes, the tour's page ${html.length}`);
    expect(html.length).toBeLessThan(300_000);
    expect(shell.length).toBeLessThan(100_000);
  });

  test("says without its program that there is more: a CI server may block it", async () => {
    const [more] = elementsOf(await pageOf(tour.plan)).filter(({ name }) => name === "noscript");
    expect(more?.text).toMatch(/^The rest of this page needs JavaScript\. .* save the file and open it\.$/);
  });

  test("says which command to run if the page was not built", async () => {
    const [problem] = await problemsOf(readShell(pathToFileURL("/nowhere/shell.html")));
    expect(problem).toMatchObject({ code: "SP1017", hint: expect.stringContaining("npm run build") });
  });

  test("names the workspace and its environment", async () => {
    const { about } = fullPlan;
    const { title } = await shown({ plan: { ...fullPlan, about: { ...about, environment: "staging" } } });
    expect([(await shown({ plan: fullPlan })).title, title]).toEqual([
      "Plan for platform",
      "Plan for platform, staging",
    ]);
  });

  test("contains no hash of a live value and no reference to a secret", async () => {
    const html = await pageOf({ plan: fullPlan });
    expect(html).not.toContain("0".repeat(64));
    expect(html).not.toContain("BOT_PASSWORD");
    const row = await rowOf({ plan: fullPlan }, "analysis/AnalysisUser/build-bot");
    expect(row?.fields.find(({ name }) => name === "password")?.after).toBe("•••");
  });
});

describe("the sentence", () => {
  const happened = { action: "update", risks: ["widens-access"] } as const;
  const lock = { service: "review", kind: "BranchLock", key: "a", action: "update" } as const;

  test.each<readonly [string, PlannedRun]>([
    ["Everything is as desired: 2 resources.", { plan: { ...emptyPlan, inSync: ["a/B/c", "a/B/d"] } }],
    ["There is nothing to look at: no resource is declared.", { plan: emptyPlan }],
    [
      "Everything is as desired: 1 resource, 1 of them acknowledged.",
      { plan: { ...emptyPlan, ignored: [{ address: "a/B/c", field: "x", until: "2027-01-20", reason: "r" }] } },
    ],
    [
      "1 of 2 resources moved without a manifest. Access was widened once.",
      {
        plan: asDrift({ ...emptyPlan, inSync: ["a/B/c"], changes: [change({ ...lock, verdict: "drift", happened })] }),
      },
    ],
    [
      "1 of 3 resources moved without a manifest. Access was widened once.",
      {
        plan: asDrift({
          ...emptyPlan,
          inSync: ["a/B/c"],
          ignored: [{ address: "a/B/d", field: "x", until: "2027-01-20", reason: "r" }],
          changes: [change({ ...lock, verdict: "drift", happened })],
        }),
      },
    ],
    [
      "Nothing moved without a manifest. 1 change of the manifests is not applied yet.",
      { plan: asDrift({ ...emptyPlan, changes: [change(lock)] }) },
    ],
    [
      "This plan is refused for 2 reasons: an apply would make no call. 13 resources of analysis could not be read.",
      { plan: { ...fullPlan, refusals } },
    ],
    [
      "2 of 6 changes were applied: 1 failed, 1 changed meanwhile, 1 skipped and 1 with unknown result. 13 resources of analysis could not be read.",
      { plan: fullPlan, report: fullReport },
    ],
  ])("%s", async (sentence, subject) => {
    expect((await shown(subject)).sentence).toBe(sentence);
  });

  test("is the whole page if everything is in sync", async () => {
    expect((await shown(tour.calm)).isCalm).toBe(true);
    expect((await shown(tour.drift)).isCalm).toBe(false);
  });
});

describe("a row", () => {
  const lock = "review/BranchLock/platform/ui:release-2.4";

  test("of a drift shows what happened, in the direction of the drift, and who did it", async () => {
    const row = await rowOf(tour.drift, lock);
    const [field] = row?.fields ?? [];
    expect(field).toEqual({
      name: "permissions",
      before: "create, delete, push, pushMerge, submit",
      after: "create, delete, pushMerge, submit",
    });
    expect(row?.words).toEqual(["drift", "access was widened"]);
    expect(row?.events).toEqual([expect.stringContaining('"Just this once"')]);
    expect(row).toMatchObject({ where: "manifests/locks.yaml:3", since: "13 Jan 2027" });
    expect(row?.answers).toEqual(["Undo", "Accept", "Mute"]);
  });

  test("of a plan shows what an apply would do", async () => {
    const row = await rowOf({ plan: { ...tour.drift.plan, about: tour.plan.plan.about } }, lock);
    expect(row?.fields[0]).toMatchObject({ before: "create, delete, pushMerge, submit" });
  });

  test("offers no command to paste if the name contains invisible characters", async () => {
    const { rows } = await shown({ plan: hostilePlan() });
    const hidden = new Set(
      hostileTexts.filter((text) => visible(text) !== text).map((text) => `review/BranchLock/${visible(text)}`),
    );
    const answerable = rows.filter(({ answers }) => answers.length > 0);
    expect(answerable.filter(({ address }) => hidden.has(address))).toEqual([]);
    expect(answerable.length).toBeGreaterThan(50);
  });

  test("offers the commands that the screen of a drift names: an adoption of what was deleted is refused", async () => {
    const place = { file: "a.yaml", line: 1, column: 1 };
    const field = { path: ["branch"], live: "a", desired: "b", verdict: "conflict", place } as const;
    const gone = change({
      ...{ service: "review", kind: "BranchLock", key: "gone", action: "create", verdict: "drift", place },
      happened: { action: "delete", risks: [] },
    });
    const both = change({
      ...{ service: "review", kind: "BranchLock", key: "both", action: "update", verdict: "conflict", place },
      ...{ fields: [field], happened: { action: "update", risks: [] } },
    });
    const { rows } = await shown({ plan: asDrift({ ...emptyPlan, changes: [gone, both] }) });
    expect(rows.map(({ answers }) => answers)).toEqual([
      ["Undo", "Mute"],
      ["Undo", "Accept"],
    ]);
  });

  test("of an apply offers nothing for a drift that the apply has undone", async () => {
    const { plan } = tour.drift;
    const answers = async (result: "applied" | "failed") =>
      (await rowOf({ plan, report: { ...fullReport, plan, outcomes: [{ address: lock, result }] } }, lock))?.answers;
    expect(await answers("applied")).toEqual([]);
    expect(await answers("failed")).toEqual(["Undo", "Accept", "Mute"]);
  });

  test("of a text shows its lines with their signs", async () => {
    const row = await rowOf(tour.plan, "wiki/WikiPage/48213");
    const lines = row?.fields.find(({ name }) => name === "body")?.lines ?? [];
    expect(lines.filter((line) => line.startsWith("-")).join()).toContain("1 March");
    expect(lines.filter((line) => line.startsWith("+")).join()).toContain("15 March");
  });

  test("of an apply shows its result", async () => {
    const row = await rowOf({ plan: fullPlan, report: fullReport }, "wiki/WikiPage/48213");
    expect(row).toMatchObject({ result: "stale", problem: { code: "SP4003" } });
  });
});

test("the calls are shown in phases, and a call for several changes only once", async () => {
  const { calls, rows } = await shown(tour.plan);
  expect(calls.summary).toBe("14 calls on 13 objects in 2 phases");
  const merged = calls.phases.flat().find(({ lane }) => lane === "review access of platform/core")?.calls;
  expect(merged?.map(({ carries }) => carries.map((position) => rows[position]?.address))).toEqual([
    [
      "review/AccessRule/platform/core:refs/tags/*:createSignedTag",
      "review/BranchLock/platform/core:^archive/.*$",
      "review/BranchLock/platform/core:release-2.4",
    ],
  ]);
});

test("a history becomes a chart, and says since when the oldest finding has existed", async () => {
  const { history, since } = await shown(tour.drift);
  expect(history).toHaveLength(30);
  expect(since).toBe("the oldest finding has existed since 13 Jan 2027, for 2 runs");
});
