import { describe, expect, test } from "vitest";
import { ciService } from "../../../src/clients/ci/service.ts";
import { readerOf } from "../../../src/clients/connect.ts";
import { coreVersion } from "../../../src/reconcilers/ci/core-version.ts";
import { type Lab, openLab, problemsOf } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";
import { imported, readerOn } from "../../support/read-lists.ts";

function core(spec: Readonly<Record<string, unknown>> = {}): string {
  return document("CoreVersion", { line: "stable", ...spec });
}

function server(lab: Lab, version: string, newest: { readonly stable?: string; readonly weekly?: string } = {}): void {
  lab.sandbox.change(({ ci }) => {
    ci.version = version;
    Object.assign(ci.updates, newest);
  });
}

/** The fields that differ, as `name: live -> desired`. */
async function differences(lab: Lab, manifest: string): Promise<readonly string[]> {
  const { changes, unknown } = await lab.plan(manifest);
  expect(unknown).toEqual([]);
  return changes.flatMap(({ fields }) => fields.map(({ path, live, desired }) => `${path}: ${live} -> ${desired}`));
}

describe("CoreVersion", () => {
  test("a server that meets the requirements is in sync", async () => {
    await using lab = await openLab();
    const all = core({ atLeast: "2.479.1", maxBehind: 0, runtime: "supported" });
    const plan = await lab.plan(all);
    expect([plan.changes, plan.inSync]).toEqual([[], ["ci/CoreVersion/core"]]);
  });

  test("budget: one request for the version, one for the newest and one script, each only if needed", async () => {
    await using lab = await openLab();
    await lab.plan(core({ atLeast: "2.479.1" }));
    expect(lab.asked()).toEqual(["getVersion"]);
    await lab.plan(core({ maxBehind: 1 }));
    expect(lab.asked().toSorted()).toEqual(["getLatestStableCore", "getStableSite", "getVersion"]);
    await lab.plan(core({ line: "weekly", maxBehind: 1 }));
    expect(lab.asked().toSorted()).toEqual(["getLatestWeeklyCore", "getVersion"]);
    await lab.plan(core({ runtime: "supported" }));
    expect(lab.asked().toSorted()).toEqual(["getCrumb", "getVersion", "runReadScript"]);
  });

  test("a difference needs a person, and no call is planned for it", async () => {
    await using lab = await openLab();
    const report = await lab.apply(core({ atLeast: "2.492.1", maxBehind: 0, runtime: "supported" }));
    expect(report.plan.changes).toMatchObject([
      {
        action: "check",
        note: "the server is 2.479.3, on Java 17, the newest stable is 2.479.3",
        instruction: "Upgrade the server or its Java manually.",
      },
    ]);
    expect([report.plan.calls, report.outcomes]).toEqual([[], []]);
  });

  test("the version number determines the line", async () => {
    await using lab = await openLab();
    expect(await differences(lab, core({ line: "weekly" }))).toEqual(["line: stable -> weekly"]);
    server(lab, "2.492");
    expect(await differences(lab, core({ line: "stable" }))).toEqual(["line: weekly -> stable"]);
    expect(await differences(lab, core({ line: "weekly" }))).toEqual([]);
  });

  test.each([
    ["2.479.1", "2.479.3", 2],
    ["2.479.3", "2.492.1", 13],
    ["2.492.2", "2.492.1", 0],
    ["1.651.3", "2.492.1", 1000],
  ])("%s is behind %s by %i", async (version, stable, distance) => {
    await using lab = await openLab();
    server(lab, version, { stable });
    expect(await differences(lab, core({ maxBehind: distance }))).toEqual([]);
    if (distance > 0)
      expect(await differences(lab, core({ maxBehind: distance - 1 }))).toEqual([
        `maxBehind: ${distance} -> ${distance - 1}`,
      ]);
  });

  test.each([
    ["17", "2.479.3", true],
    ["11", "2.479.3", false],
    ["1.8", "2.346.1", true],
    ["25", "2.479.3", false],
  ])("Java %s under %s is supported: %j", async (java, version, isSupported) => {
    await using lab = await openLab();
    server(lab, version);
    lab.sandbox.change(({ ci }) => {
      ci.startProperties["java.specification.version"] = java;
    });
    expect(await differences(lab, core({ runtime: "supported" }))).toEqual(
      isSupported ? [] : ["runtime: undefined -> supported"],
    );
  });

  test("a server that does not report its Java version is unknown", async () => {
    await using lab = await openLab();
    lab.sandbox.change(({ ci }) => {
      ci.startProperties = {};
    });
    const plan = await lab.plan(core({ runtime: "supported" }));
    expect(plan.unknown.map(({ problem }) => problem.code)).toEqual(["SP3103"]);
  });

  test("under wire: documented, the version is unknown, because no documented operation reports it", async () => {
    await using lab = await openLab({ wire: "documented" });
    expect((await lab.plan(core())).unknown.map(({ problem }) => problem.code)).toEqual(["SP3007"]);
  });

  test("an import is in sync", async () => {
    await using lab = await openLab();
    const specs = await coreVersion.list?.(readerOn(lab, "ci"));
    expect(lab.asked()).toEqual(["getVersion"]);
    expect(specs).toEqual([{ line: "stable", atLeast: "2.479.3" }]);
    expect((await lab.plan(imported(coreVersion, specs))).changes).toEqual([]);
  });

  test("an import leaves out the version of a build that is not a release", async () => {
    const read = {
      ...readerOf(async () => [], { wire: "product" }, ciService),
      getVersion: async () => ({ version: "2.500-SNAPSHOT" }),
    };
    expect(await coreVersion.list?.(read)).toEqual([{ line: "weekly" }]);
  });

  test("cannot be absent, or be declared twice", async () => {
    await using lab = await openLab();
    const absent = document("CoreVersion", { line: "stable" }, { state: "absent" });
    expect(await problemsOf(lab.plan(absent))).toMatchObject([{ code: "SP1002" }]);
    expect(await problemsOf(lab.plan(core() + core({ line: "weekly" })))).toMatchObject([{ code: "SP1006" }]);
  });
});
