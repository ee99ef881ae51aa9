import { describe, expect, test } from "vitest";
import type { Metadata } from "../../../src/core/resource.ts";
import { type Lab, openLab, problemsOf } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";

const csp = "hudson.model.DirectoryBrowserSupport.CSP";

function property(name: string, value: string | null, metadata: Partial<Metadata> = {}): string {
  return document("SystemProperty", { name, value }, metadata);
}

function results(report: Awaited<ReturnType<Lab["apply"]>>) {
  return report.outcomes.map(({ result }) => result);
}

describe("SystemProperty", () => {
  test("sets a property of the running server", async () => {
    await using lab = await openLab();
    const report = await lab.apply(property("user.timezone", "Europe/Oslo"));
    expect(report.outcomes).toEqual([{ address: "ci/SystemProperty/user.timezone", result: "applied" }]);
    expect(report.plan.changes).toMatchObject([
      { action: "update", fields: [{ path: ["value"], live: "Europe/Berlin", desired: "Europe/Oslo" }] },
    ]);
    expect(lab.sandbox.state().ci.setProperties).toEqual({ "user.timezone": "Europe/Oslo" });
  });

  test("budget: one reading script for all names, one script for all changes, and one to verify", async () => {
    await using lab = await openLab();
    const all = Array.from({ length: 12 }, (_, n) => property(`setpoint.test.${n}`, `${n}`)).join("");
    expect(results(await lab.apply(all))).toEqual(Array(12).fill("applied"));
    const scripts = () => lab.asked().filter((name) => name !== "getCrumb");
    expect(scripts()).toEqual(["runReadScript", "runScript", "runReadScript"]);
    expect((await lab.plan(all)).changes).toEqual([]);
    expect(scripts()).toEqual(["runReadScript"]);
  });

  test("null removes a property, while an empty text does not", async () => {
    await using lab = await openLab();
    const both = property("user.timezone", null) + property(csp, "");
    expect(results(await lab.apply(both))).toEqual(["applied", "applied"]);
    expect(lab.sandbox.state().ci.setProperties).toEqual({ "user.timezone": null, [csp]: "" });
    expect((await lab.plan(both)).changes).toEqual([]);
    const unset = property("never.set", null);
    expect((await lab.plan(unset)).changes).toEqual([]);
    expect((await lab.plan(property("never.set", ""))).changes).toMatchObject([
      { fields: [{ live: null, desired: "" }] },
    ]);
  });

  test("names and values reach the server as data, whatever characters they contain", async () => {
    await using lab = await openLab();
    const name = `a'.\${'x'} \\ " ü $x`;
    const value = `'''\${System.exit(1)} \\ " ü\n$x\u0000'`;
    const stated = (text: string) => text.replaceAll("${", () => "$${");
    expect(results(await lab.apply(property(stated(name), stated(value))))).toEqual(["applied"]);
    expect(lab.sandbox.state().ci.setProperties).toEqual({ [name]: value });
  });

  test("reports which side changed: the manifest, the service or both", async () => {
    await using lab = await openLab();
    const verdict = async (now: string, base: string) =>
      (await lab.plan({ now: property("user.timezone", now), base: property("user.timezone", base) })).changes.map(
        (change) => change.verdict,
      );
    expect(await verdict("UTC", "Europe/Berlin")).toEqual(["pending"]);
    expect(await verdict("UTC", "UTC")).toEqual(["drift"]);
    expect(await verdict("UTC", "Asia/Tokyo")).toEqual(["conflict"]);
  });

  test("cannot be absent, and is forgotten when it leaves the manifests", async () => {
    await using lab = await openLab();
    expect(await problemsOf(lab.plan(property("user.timezone", "UTC", { state: "absent" })))).toMatchObject([
      { code: "SP1002" },
    ]);
    expect((await lab.plan({ now: "", base: property("user.timezone", "UTC") })).changes).toEqual([]);
    expect(lab.asked()).toEqual([]);
  });

  test("a property is unknown to an account that may not run scripts, and nothing is written", async () => {
    await using lab = await openLab({ as: { username: "jdoe", secret: "jdoe-secret" } });
    const plan = await lab.plan(property("user.timezone", "UTC"));
    expect(plan.unknown.map(({ problem }) => problem.code)).toEqual(["SP3004"]);
    expect(plan.calls).toEqual([]);
  });

  test("under wire: documented, a property is unknown, because no documented operation reads it", async () => {
    await using lab = await openLab({ wire: "documented" });
    const plan = await lab.plan(property("user.timezone", "UTC"));
    expect(plan.unknown.map(({ problem }) => [problem.code, problem.operation])).toEqual([["SP3007", "runReadScript"]]);
    expect(lab.asked()).toEqual([]);
  });
});
