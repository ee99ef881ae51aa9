import { describe, expect, test } from "vitest";
import type { Metadata } from "../../../src/core/resource.ts";
import { type Lab, openLab, problemsOf } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";

const jar = "com/meridian/telemetry/2.4/telemetry-2.4.jar";
const [releases, snapshots] = ["libs-release-local", "libs-snapshot-local"];

function promotion(spec: Readonly<Record<string, unknown>> = {}, metadata: Partial<Metadata> = {}): string {
  return document(
    "BuildPromotion",
    { build: "telemetry release", number: "42", status: "released", ...spec },
    metadata,
  );
}

function buildOf({ sandbox }: Lab, number = "42") {
  return sandbox.state().artifacts.builds["telemetry release"]?.[number];
}

function isStored({ sandbox }: Lab, repository: string): boolean {
  return Object.hasOwn(sandbox.state().artifacts.items, `${repository}/${jar}`);
}

function results(report: Awaited<ReturnType<Lab["apply"]>>) {
  return report.outcomes.map(({ result }) => result);
}

describe("BuildPromotion", () => {
  test("budget: one read, one write and one read to verify; then one read and no write", async () => {
    await using lab = await openLab();
    const report = await lab.apply(promotion({ targetRepo: snapshots }));
    expect(report.outcomes).toEqual([{ address: "artifacts/BuildPromotion/telemetry release:42", result: "applied" }]);
    expect(lab.asked()).toEqual(["getBuild", "promoteBuild", "getBuild"]);
    expect(report.plan.changes).toMatchObject([
      {
        action: "update",
        fields: [
          { path: ["status"], desired: "released" },
          { path: ["targetRepo"], desired: snapshots },
        ],
      },
    ]);
    expect((await lab.plan(promotion({ targetRepo: snapshots }))).changes).toEqual([]);
    expect(lab.asked()).toEqual(["getBuild"]);
  });

  test("moves the files, or copies them if requested", async () => {
    for (const copy of [false, true]) {
      await using lab = await openLab();
      await lab.apply(promotion({ targetRepo: snapshots, copy }));
      expect([isStored(lab, snapshots), isStored(lab, releases)]).toEqual([true, copy]);
    }
  });

  test("a way back takes the manifest's way: what was copied is copied, and no file is lost", async () => {
    await using lab = await openLab();
    await lab.apply(promotion({ targetRepo: snapshots, copy: true }));
    const next = promotion({ targetRepo: releases, copy: true, status: "shipped" });
    await lab.apply(next);
    expect(results(await (await lab.revert(next)).apply())).toEqual(["applied"]);
    expect(buildOf(lab)?.statuses.map(({ status }) => status)).toEqual(["released", "shipped", "released"]);
    expect([isStored(lab, snapshots), isStored(lab, releases)]).toEqual([true, true]);
  });

  test("sets only a status, or properties on files that stay", async () => {
    await using lab = await openLab();
    const properties = { "release.state": ["final", "ü, 1"] };
    expect(results(await lab.apply(promotion({ properties })))).toEqual(["applied"]);
    expect(isStored(lab, releases)).toBe(true);
    expect(lab.sandbox.state().artifacts.items[`${releases}/${jar}`]?.properties).toMatchObject(properties);
    expect(buildOf(lab)?.statuses).toMatchObject([{ status: "released" }]);
  });

  test("sends a dry run first if requested, and the plan lists both calls", async () => {
    await using lab = await openLab();
    const report = await lab.apply(promotion({ targetRepo: snapshots, dryRun: true }));
    expect(report.plan.calls.map(({ operation, args }) => [operation, args.dryRun])).toEqual([
      ["promoteBuild", true],
      ["promoteBuild", false],
    ]);
    expect(lab.asked()).toEqual(["getBuild", "promoteBuild", "promoteBuild", "getBuild"]);
    expect(buildOf(lab)?.statuses).toHaveLength(1);
  });

  test("a virtual target is the repository that receives its deployments, which is what the service records", async () => {
    await using lab = await openLab();
    const report = await lab.apply(promotion({ targetRepo: "libs" }));
    expect(results(report)).toEqual(["applied"]);
    expect(buildOf(lab)?.statuses).toMatchObject([{ status: "released", repository: snapshots }]);
    expect((await lab.plan(promotion({ targetRepo: "libs" }))).changes).toEqual([]);
    for (const targetRepo of [releases, "nowhere"])
      expect((await lab.plan(promotion({ targetRepo }))).changes).toMatchObject([
        { fields: [{ path: ["targetRepo"], live: snapshots, desired: targetRepo }] },
      ]);
  });

  test("a dry run that reports an error prevents the promotion", async () => {
    await using lab = await openLab();
    lab.sandbox.change(({ artifacts }) => {
      delete artifacts.items[`${releases}/${jar}`];
    });
    const report = await lab.apply(promotion({ targetRepo: snapshots, dryRun: true }));
    expect(lab.asked()).toEqual(["getBuild", "promoteBuild"]);
    expect(report.calls.map(({ result }) => result)).toEqual(["failed", "skipped"]);
    expect(report.outcomes).toMatchObject([
      { result: "failed", problem: { code: "SP3007", message: expect.stringContaining("Unable to find artifact") } },
    ]);
    expect(buildOf(lab)?.statuses).toEqual([]);
  });

  test("uses the last promotion by time, wherever it is in the list, and a plan says who made it", async () => {
    await using lab = await openLab();
    const status = (name: string, day: string) => ({
      status: name,
      timestamp: `2026-09-${day}T12:00:00.000Z`,
      user: "admin",
    });
    lab.sandbox.change(({ artifacts }) => {
      const build = artifacts.builds["telemetry release"]?.["42"];
      build?.statuses.push(status("released", "20"), status("staged", "15"));
    });
    expect((await lab.plan(promotion())).changes).toEqual([]);
    const { changes } = await lab.plan({ now: promotion({ status: "staged" }), base: promotion({ status: "staged" }) });
    expect(changes).toMatchObject([
      {
        verdict: "drift",
        fields: [{ live: "released", desired: "staged" }],
        events: [{ what: "promoted", by: "admin", at: "2026-09-20T12:00:00.000Z" }, { what: "built" }],
      },
    ]);
  });

  test("only sets the status if the files are where the manifest has them, or it does not say where", async () => {
    for (const stated of [{}, { targetRepo: snapshots }]) {
      await using lab = await openLab();
      await lab.apply(promotion({ status: "staged", targetRepo: snapshots, copy: true }));
      const report = await lab.apply(promotion({ status: "tested", ...stated }));
      expect(report.plan.calls).toMatchObject([{ args: { status: "tested" } }]);
      expect(report.plan.calls[0]?.args).not.toHaveProperty("targetRepo");
      expect(buildOf(lab)?.statuses.map(({ repository }) => repository)).toEqual([snapshots, undefined]);
      expect((await lab.plan(promotion({ status: "tested", targetRepo: snapshots }))).changes).toEqual([]);
    }
  });

  test("a build that does not exist needs a person, and blocks no other", async () => {
    await using lab = await openLab();
    const report = await lab.apply(promotion({ number: "99" }) + promotion());
    expect(report.plan.changes).toMatchObject([
      { key: "telemetry release:42", action: "update" },
      { key: "telemetry release:99", action: "check", instruction: expect.stringContaining("run it") },
    ]);
    expect(results(report)).toEqual(["applied"]);
  });

  test("records the CI server's user, which then is no difference", async () => {
    await using lab = await openLab();
    await lab.apply(promotion({ ciUser: "release-manager" }));
    expect(buildOf(lab)?.statuses).toMatchObject([{ status: "released", ciUser: "release-manager" }]);
    expect((await lab.plan(promotion({ ciUser: "somebody else" }))).changes).toEqual([]);
  });

  test("ignores what cannot be read back", async () => {
    await using lab = await openLab();
    await lab.apply(promotion());
    const other = { copy: true, dependencies: true, scopes: ["compile"], properties: { a: ["b"] }, dryRun: true };
    expect((await lab.plan(promotion(other))).changes).toEqual([]);
  });

  test("stays when it leaves the manifests, and cannot be absent", async () => {
    await using lab = await openLab();
    expect((await lab.plan({ now: "", base: promotion() })).changes).toEqual([]);
    expect(await problemsOf(lab.plan(promotion({}, { state: "absent" })))).toMatchObject([{ code: "SP1002" }]);
  });

  test("accepts names with special characters", async () => {
    await using lab = await openLab();
    const [build, number] = [`a/ü%2F "b"?#`, "1.0+β/7"];
    lab.sandbox.change(({ artifacts }) => {
      artifacts.builds[build] = {
        [number]: { started: "2026-09-01T00:00:00.000Z", properties: {}, artifacts: [], statuses: [] },
      };
    });
    expect(results(await lab.apply(promotion({ build, number })))).toEqual(["applied"]);
  });

  test("an account that may not promote gets a failed outcome", async () => {
    await using lab = await openLab({ as: { username: "jdoe", secret: "jdoe-secret" } });
    const report = await lab.apply(promotion());
    expect(report.outcomes).toMatchObject([{ result: "failed", problem: { code: "SP3004" } }]);
  });

  test("rejected credentials make the resource unknown", async () => {
    await using lab = await openLab({ as: { username: "jdoe", secret: "wrong" } });
    const plan = await lab.plan(promotion());
    expect(plan.unknown.map(({ problem }) => problem.code)).toEqual(["SP3003"]);
  });
});
