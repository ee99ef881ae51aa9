import { describe, expect, test } from "vitest";
import { artifactsService } from "../../../src/clients/artifacts/service.ts";
import { readerOf } from "../../../src/clients/connect.ts";
import type { Metadata } from "../../../src/core/resource.ts";
import { buildRetention } from "../../../src/reconcilers/artifacts/build-retention.ts";
import { type Lab, openLab, problemsOf } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";

const now = new Date("2026-10-01T12:00:00.000Z");
const name = `ship it/ü%2F "1"`;

function retention(spec: Readonly<Record<string, unknown>>, metadata: Partial<Metadata> = {}): string {
  return document("BuildRetention", { build: name, ...spec }, metadata);
}

/** A lab with one build per day at noon; the newest, number 5, is a day older than the time of the plans. */
async function openBuilds(options: Parameters<typeof openLab>[0] = {}): Promise<Lab> {
  const lab = await openLab({ now, ...options });
  lab.sandbox.change(({ artifacts }) => {
    artifacts.builds[name] = Object.fromEntries(
      ["26", "27", "28", "29", "30"].map((day, index) => [
        `${index + 1}`,
        { started: `2026-09-${day}T12:00:00.000Z`, properties: {}, artifacts: [], statuses: [] },
      ]),
    );
  });
  return lab;
}

function numbers({ sandbox }: Lab): readonly string[] {
  return Object.keys(sandbox.state().artifacts.builds[name] ?? {});
}

const neverPromoted = async () => ({ buildInfo: { started: "2026-01-01T00:00:00.000+0000", properties: {} } });

describe("BuildRetention", () => {
  test("budget: one read, one per build that exceeds the rule, one write, and one read to verify", async () => {
    await using lab = await openBuilds();
    const report = await lab.apply(retention({ count: 2 }));
    expect(report.outcomes).toEqual([{ address: `artifacts/BuildRetention/${name}`, result: "applied" }]);
    expect(lab.asked()).toEqual(["listBuilds", "getBuild", "getBuild", "getBuild", "applyRetention", "listBuilds"]);
    expect(numbers(lab)).toEqual(["4", "5"]);
  });

  test("budget: one read and no write if no build exceeds the rule", async () => {
    await using lab = await openBuilds();
    const report = await lab.apply(retention({ count: 5, maxAge: "5d" }));
    expect([report.plan.changes, report.plan.inSync.length]).toEqual([[], 1]);
    expect(lab.asked()).toEqual(["listBuilds"]);
    expect(numbers(lab)).toEqual(["1", "2", "3", "4", "5"]);
  });

  test("the plan names the builds to delete, when they were built, and that it cannot be undone", async () => {
    await using lab = await openBuilds();
    const { changes } = await lab.plan(retention({ count: 2 }));
    expect(changes).toMatchObject([
      {
        action: "update",
        fields: [{ path: ["exceeding"], live: ["1", "2", "3"], desired: [] }],
        risks: ["irreversible"],
        events: ["26", "27", "28"].map((day, index) => ({
          what: "built",
          name: `${index + 1}`,
          at: `2026-09-${day}T12:00:00.000Z`,
        })),
      },
    ]);
  });

  test.each([
    [{ maxAge: "3d" }, ["3", "4", "5"]],
    [{ maxAge: "49h" }, ["4", "5"]],
    [{ maxAge: "1w" }, ["1", "2", "3", "4", "5"]],
    [{ minimumBuildDate: "2026-09-29" }, ["4", "5"]],
    [{ minimumBuildDate: "2026-09-29T14:00:00+02:00" }, ["4", "5"]],
    [{ minimumBuildDate: "2026-09-29T14:00:01+02:00" }, ["5"]],
    [{ count: 4, maxAge: "3d" }, ["3", "4", "5"]],
    [{ count: 1, maxAge: "3d" }, ["5"]],
    [{ count: 2, keep: ["1", "5"] }, ["1", "3", "4", "5"]],
    [{ maxAge: "1h", keep: ["2"] }, ["2"]],
  ])("%j keeps %j, as planned and as the service does, on either wire", async (spec, kept) => {
    for (const wire of ["product", "documented"] as const) {
      await using lab = await openBuilds({ wire });
      const report = await lab.apply(retention(spec));
      expect(report.outcomes.filter(({ result }) => result !== "applied")).toEqual([]);
      expect(numbers(lab)).toEqual(kept);
    }
  });

  test("promoted builds stay and are as desired: the service never deletes them", async () => {
    await using lab = await openBuilds();
    lab.sandbox.change(({ artifacts }) => {
      artifacts.builds[name]?.["2"]?.statuses.push({
        status: "aat",
        timestamp: "2026-09-28T08:36:42.009Z",
        user: "user",
      });
    });
    const report = await lab.apply(retention({ count: 2 }));
    expect(report.plan.changes).toMatchObject([{ fields: [{ path: ["exceeding"], live: ["1", "3"], desired: [] }] }]);
    expect(report.outcomes).toMatchObject([{ result: "applied" }]);
    expect(numbers(lab)).toEqual(["2", "4", "5"]);
    expect((await lab.plan(retention({ count: 2 }))).inSync).toHaveLength(1);
  });

  test("counts an age from the time of the plan, and tells the service the date of the newest build that goes", async () => {
    await using lab = await openBuilds();
    const { calls } = await lab.plan(retention({ maxAge: "2d", keep: ["1"], async: true }));
    expect(calls.map(({ args }) => args)).toEqual([
      {
        buildName: name,
        async: true,
        deleteBuildArtifacts: false,
        minimumBuildDate: Date.parse("2026-09-28T12:00:00.001Z"),
        buildNumbersNotToBeDiscarded: ["1"],
      },
    ]);
  });

  test("names what to delete by date, whichever builds the service counts, and keeps one of the same moment", async () => {
    await using lab = await openBuilds();
    lab.sandbox.change(({ artifacts }) => {
      const builds = artifacts.builds[name] ?? {};
      for (const number of ["3", "4"])
        builds[number] = { started: "2026-09-28T12:00:00.000Z", properties: {}, artifacts: [], statuses: [] };
    });
    const { changes, calls } = await lab.plan(retention({ count: 1, keep: ["5"] }));
    expect(changes).toMatchObject([{ fields: [{ live: expect.arrayContaining(["1", "2"]) }] }]);
    expect(calls).toMatchObject([{ args: { minimumBuildDate: Date.parse("2026-09-28T12:00:00.001Z") } }]);
    expect(calls[0]?.args).not.toHaveProperty("count");
    await lab.apply(retention({ count: 1, keep: ["5"] }));
    expect(numbers(lab)).toHaveLength(2);
  });

  test("deletes artifacts with their builds if requested", async () => {
    await using lab = await openLab({ now });
    const jars = () =>
      Object.keys(lab.sandbox.state().artifacts.items).filter((key) => /^libs-release-local.*\.jar$/.test(key));
    const spec = { build: "telemetry release", count: 1, deleteArtifacts: true };
    await lab.apply(document("BuildRetention", spec));
    expect(jars()).toEqual(["libs-release-local/com/meridian/telemetry/2.4/telemetry-2.4.jar"]);
  });

  test("keeps build numbers with special characters by name", async () => {
    await using lab = await openBuilds();
    const hard = "50%/ü,1";
    lab.sandbox.change(({ artifacts }) => {
      const builds = artifacts.builds[name] ?? {};
      artifacts.builds[name] = Object.fromEntries(
        Object.entries(builds).map(([number, build]) => [number === "1" ? hard : number, build]),
      );
    });
    const report = await lab.apply(retention({ count: 1, keep: [hard] }));
    expect(report.plan.changes).toMatchObject([{ fields: [{ live: ["2", "3", "4"] }] }]);
    expect(report.outcomes).toMatchObject([{ result: "applied" }]);
    expect(numbers(lab).toSorted()).toEqual(["5", hard]);
  });

  test("reads a number that the service does not encode unchanged", async () => {
    const reader = {
      ...readerOf(async () => [], { wire: "documented" }, artifactsService),
      listBuilds: async () => ({ buildsNumbers: [{ uri: "/50%", started: "2026-01-01T00:00:00.000+0000" }] }),
      getBuild: neverPromoted,
    };
    const wanted = buildRetention.spec.parse({ build: name, maxAge: "1d" });
    const found = await buildRetention.observe(reader, "", [wanted], now);
    expect(found.get(name)).toMatchObject({ is: "present", spec: { exceeding: ["50%"] } });
  });

  test.each(["yesterday", "build 7", "2014-09-30T12:00:19.893"])(
    "an invalid time, such as %j, makes the resource unknown",
    async (started) => {
      const reader = {
        ...readerOf(async () => [], { wire: "product" }, artifactsService),
        listBuilds: async () => ({ buildsNumbers: [{ uri: "/1", started }] }),
      };
      const wanted = buildRetention.spec.parse({ build: name, maxAge: "1d" });
      expect(await problemsOf(buildRetention.observe(reader, "", [wanted], now))).toMatchObject([{ code: "SP3103" }]);
    },
  );

  test("the newest builds are those started last, whatever their order in the list", async () => {
    const days = ["02", "04", "01", "03"];
    const reader = {
      ...readerOf(async () => [], { wire: "product" }, artifactsService),
      listBuilds: async () => ({
        buildsNumbers: days.map((day) => ({ uri: `/${day}`, started: `2026-01-${day}T00:00:00.000+0000` })),
      }),
      getBuild: neverPromoted,
    };
    const wanted = buildRetention.spec.parse({ build: name, count: 2 });
    const found = await buildRetention.observe(reader, "", [wanted], now);
    expect(found.get(name)).toMatchObject({ is: "present", spec: { exceeding: ["01", "02"] } });
  });

  test("a build that started at the same moment as one that goes is named to the service, which counts by moments", async () => {
    const reader = {
      ...readerOf(async () => [], { wire: "product" }, artifactsService),
      listBuilds: async () => ({
        buildsNumbers: ["1", "2", "3"].map((number) => ({
          uri: `/${number}`,
          started: "2026-01-01T00:00:00.000+0000",
        })),
      }),
      getBuild: neverPromoted,
    };
    const wanted = buildRetention.spec.parse({ build: name, count: 1, keep: ["2"] });
    const found = await buildRetention.observe(reader, "", [wanted], now);
    const before = Date.parse("2026-01-01T00:00:00.001Z");
    expect(found.get(name)).toMatchObject({ spec: { exceeding: ["3"] }, marker: { before, kept: ["2", "1"] } });
  });

  test("a name without builds needs a person, because it can be misspelt, unless a rule with an age can have deleted them", async () => {
    await using lab = await openLab({ now });
    const changes = async (rule: object) => (await lab.plan(retention({ ...rule }))).changes;
    expect(await changes({ count: 1 })).toMatchObject([
      {
        action: "check",
        instruction: expect.stringContaining(`Build ${name} was not found: run it, correct its name`),
      },
    ]);
    expect(await changes({ count: 1, maxAge: "9d" })).toEqual([]);
    expect(await changes({ minimumBuildDate: "2026-01-31" })).toEqual([]);
  });

  test("builds added since the base are drift, while a new or changed rule is pending", async () => {
    await using lab = await openBuilds();
    const rule = retention({ count: 2 });
    const verdicts = async (base: string) =>
      (await lab.plan({ now: rule, base })).changes.map(({ verdict }) => verdict);
    expect(await verdicts(rule)).toEqual(["drift"]);
    expect(await verdicts("")).toEqual(["pending"]);
    expect(await verdicts(retention({ count: 10 }))).toEqual(["pending"]);
    expect(await verdicts(retention({ count: 3, maxAge: "9d" }))).toEqual(["pending"]);
    expect(await verdicts(retention({ count: 2, keep: [], async: false }))).toEqual(["drift"]);
  });

  test("changes nothing when it leaves the manifests, and cannot be absent", async () => {
    await using lab = await openBuilds();
    expect((await lab.plan({ now: "", base: retention({ count: 1 }) })).changes).toEqual([]);
    expect(await problemsOf(lab.plan(retention({ count: 1 }, { state: "absent" })))).toMatchObject([
      { code: "SP1002" },
    ]);
  });

  test("an account that may not delete builds gets a failed outcome, and the builds stay", async () => {
    await using lab = await openBuilds({ as: { username: "jdoe", secret: "jdoe-secret" } });
    const report = await lab.apply(retention({ count: 1 }));
    expect(report.outcomes).toMatchObject([{ result: "failed", problem: { code: "SP3004" } }]);
    expect(numbers(lab)).toHaveLength(5);
  });

  test("rejected credentials make the resource unknown, not in sync", async () => {
    await using lab = await openBuilds({ as: { username: "jdoe", secret: "wrong" } });
    const plan = await lab.plan(retention({ count: 1 }));
    expect([plan.unknown.map(({ problem }) => problem.code), plan.calls]).toEqual([["SP3003"], []]);
  });

  test.each([
    [{}, "expected count, maxAge or minimumBuildDate"],
    [{ maxAge: "1d", minimumBuildDate: "2026-01-01" }, "not both"],
    [{ count: 0 }, "0 is too small"],
    [{ maxAge: "90 days" }, "such as 500ms, 12h, 90d or 2w"],
    [{ minimumBuildDate: "2026-02-30" }, "expected a date"],
    [{ count: 1, keep: [7] }, "put it in quotes"],
  ])("%j is an error: %s", async (spec, words) => {
    await using lab = await openLab();
    const problems = await problemsOf(lab.plan(retention(spec)));
    expect(problems.map(({ message }) => message).join()).toContain(words);
  });
});
