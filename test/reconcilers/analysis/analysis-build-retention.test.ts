import { describe, expect, test } from "vitest";
import { analysisBuildRetention } from "../../../src/reconcilers/analysis/analysis-build-retention.ts";
import { kinds } from "../../../src/reconcilers/registry.ts";
import { type Lab, openLab, problemsOf } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";

const day = 24 * 3_600_000;
const now = new Date("2027-03-01T12:00:00Z");

function retention(spec: Readonly<Record<string, unknown>>): string {
  return document("AnalysisBuildRetention", { project: "core", ...spec });
}

/** A lab at a fixed moment, whose project has the builds b1 to b5: each is its number times ten days old, and b3 is kept. */
async function openBuilds(): Promise<Lab> {
  const lab = await openLab({ now });
  lab.sandbox.change(({ analysis }) => {
    analysis.builds = [3, 1, 5, 2, 4].map((n) => ({
      project: "1",
      id: n,
      name: `b${n}`,
      date: now.getTime() - 10 * n * day,
      keepit: n === 3,
    }));
  });
  return lab;
}

function buildsIn({ sandbox }: Lab) {
  return sandbox
    .state()
    .analysis.builds.map(({ name }) => name)
    .toSorted();
}

/** The builds that a plan would delete. */
async function going(lab: Lab, spec: Readonly<Record<string, unknown>>) {
  return (await lab.plan(retention(spec))).calls.map(({ args }) => args.name);
}

describe("AnalysisBuildRetention", () => {
  test("counts a build that is listed twice as one of the newest only once", async () => {
    await using lab = await openBuilds();
    lab.sandbox.change(({ analysis }) => {
      analysis.builds = [...analysis.builds, ...analysis.builds.filter(({ name }) => name === "b1")];
    });
    expect(await going(lab, { count: 2 })).toEqual(["b5", "b4"]);
  });

  test("budget: one read, one write per deleted build, one read to verify", async () => {
    await using lab = await openBuilds();
    const report = await lab.apply(retention({ count: 2 }));
    expect(report.outcomes).toEqual([{ address: "analysis/AnalysisBuildRetention/core", result: "applied" }]);
    // The project is not declared, so it is looked up once.
    expect(lab.asked()).toEqual(["builds", "projects", "deleteBuild", "deleteBuild", "builds"]);
    expect(buildsIn(lab)).toEqual(["b1", "b2", "b3"]);
    expect((await lab.plan(retention({ count: 2 }))).inSync).toEqual(["analysis/AnalysisBuildRetention/core"]);
    expect(lab.asked()).toEqual(["builds"]);
  });

  test("a plan lists the builds that would be deleted, oldest first, and says that this cannot be undone", async () => {
    await using lab = await openBuilds();
    const plan = await lab.plan(retention({ count: 1 }));
    expect(plan.changes).toMatchObject([
      {
        action: "update",
        risks: ["irreversible"],
        fields: [{ path: ["exceeding"], live: ["b5", "b4", "b2"], desired: [] }],
        events: [{ what: "built", name: "b5", at: "2027-01-10T12:00:00.000Z" }, { name: "b4" }, { name: "b2" }],
      },
    ]);
    expect(plan.calls.map(({ operation, args }) => [operation, args])).toEqual(
      ["b5", "b4", "b2"].map((name) => ["deleteBuild", { project: "core", name }]),
    );
  });

  test.each([
    [{ count: 4 }, []],
    [{ count: 3 }, ["b5"]],
    [{ maxAge: "50d" }, []],
    [{ maxAge: "49d" }, ["b5"]],
    [{ maxAge: "3w" }, ["b5", "b4"]],
    [{ maxAge: "239h" }, ["b5", "b4", "b2", "b1"]],
    [{ count: 3, maxAge: "21d" }, ["b5", "b4"]],
    [{ count: 1, maxAge: "1000d" }, ["b5", "b4", "b2"]],
    [{ count: 1, keep: ["b5", "no such build"] }, ["b4", "b2"]],
    [{ maxAge: "1h", keep: ["b1", "b2"] }, ["b5", "b4"]],
  ])("%j: %j are deleted, never one that is kept", async (spec, expected) => {
    await using lab = await openBuilds();
    expect(await going(lab, spec)).toEqual(expected);
  });

  test("never deletes the last build of a project, however old it is", async () => {
    await using lab = await openBuilds();
    lab.sandbox.change(({ analysis }) => {
      for (const build of analysis.builds) build.keepit = false;
    });
    expect(await going(lab, { maxAge: "1h" })).toEqual(["b5", "b4", "b3", "b2"]);
  });

  test("keeps the later of two builds with the same date, whatever the order of the answer", async () => {
    await using lab = await openBuilds();
    lab.sandbox.change(({ analysis }) => {
      for (const build of analysis.builds) build.date = 0;
    });
    expect(await going(lab, { count: 1 })).toEqual(["b1", "b2", "b4"]);
  });

  test("does not delete builds of other projects, or anything once the rule has left the manifests", async () => {
    await using lab = await openBuilds();
    expect((await lab.plan(document("AnalysisBuildRetention", { project: "bootloader", count: 1 }))).changes).toEqual(
      [],
    );
    expect((await lab.plan({ now: "", base: retention({ count: 1 }) })).changes).toEqual([]);
  });

  test("builds added since the last apply are drift", async () => {
    await using lab = await openBuilds();
    const manifest = retention({ count: 1 });
    const plan = await lab.plan({ now: manifest, base: manifest });
    expect(plan.changes.map(({ verdict }) => verdict)).toEqual(["drift"]);
  });

  test("is unknown, not satisfied, in a project that the service does not have", async () => {
    await using lab = await openBuilds();
    const plan = await lab.plan(document("AnalysisBuildRetention", { project: "nowhere", count: 1 }));
    expect(plan.unknown.map(({ problem }) => problem.code)).toEqual(["SP3005"]);
  });

  test("a build that is already gone fails no rule, since reading again shows that nothing is left to do", async () => {
    await using lab = await openBuilds();
    const report = await lab.apply(retention({ count: 3 }), () =>
      lab.sandbox.change(({ analysis }) => {
        analysis.builds = analysis.builds.filter(({ name }) => name !== "b5");
      }),
    );
    expect(report.calls).toContainEqual(expect.objectContaining({ result: "failed" }));
    expect(report.outcomes).toMatchObject([{ result: "applied" }]);
    expect((await lab.plan(retention({ count: 3 }))).changes).toEqual([]);
  });

  test("a rule states a number, an age or both, and an import lists no rules", async () => {
    const isFine = (spec: Readonly<Record<string, unknown>>) =>
      analysisBuildRetention.spec.safeParse({ project: "p", ...spec }).success;
    expect([{ count: 1 }, { maxAge: "2w" }, { count: 3, maxAge: "12h" }].map(isFine)).toEqual([true, true, true]);
    expect([{}, { count: 0 }, { maxAge: "90" }, { maxAge: "0d" }, { maxAge: "1y" }].map(isFine)).toEqual(
      Array(5).fill(false),
    );
    expect(kinds.get("AnalysisBuildRetention")?.list).toBeUndefined();
    await using lab = await openBuilds();
    const absent = document("AnalysisBuildRetention", { project: "core", count: 1 }, { state: "absent" });
    expect((await problemsOf(lab.plan(absent))).length).toBeGreaterThan(0);
  });
});
