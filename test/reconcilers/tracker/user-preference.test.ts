import { describe, expect, test } from "vitest";
import { userPreference } from "../../../src/reconcilers/tracker/user-preference.ts";
import { type Lab, openLab, problemsOf } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";
import { imported, readerOn } from "../../support/read-lists.ts";

const jdoe = { username: "jdoe", secret: "jdoe-secret" };

function prefers(spec: Readonly<Record<string, unknown>>): string {
  return document("UserPreference", spec);
}

function results(report: Awaited<ReturnType<Lab["apply"]>>) {
  return report.outcomes.map(({ result }) => result);
}

describe("UserPreference", () => {
  test("sets preferences of the calling account only", async () => {
    await using lab = await openLab({ as: jdoe });
    const report = await lab.apply(prefers({ timezone: "Asia/Tokyo" }) + prefers({ locale: "de_DE" }));
    expect(report.outcomes).toEqual([
      { address: "tracker/UserPreference/locale", result: "applied" },
      { address: "tracker/UserPreference/timezone", result: "applied" },
    ]);
    expect(lab.sandbox.state().tracker.preferences).toEqual({
      jdoe: { "jira.user.timezone": "Asia/Tokyo", "jira.user.locale": "de_DE" },
    });
  });

  test("budget: one read and one write each, and one read to verify", async () => {
    await using lab = await openLab({ as: jdoe });
    await lab.apply(prefers({ timezone: "Asia/Tokyo" }));
    expect(lab.asked()).toEqual(["getPreference", "setPreference", "getPreference"]);
    await lab.apply(prefers({ locale: "de_DE" }));
    expect(lab.asked()).toEqual(["getPreference", "getMyself", "setPreference", "getPreference"]);
    expect((await lab.plan(prefers({ timezone: "Asia/Tokyo" }) + prefers({ locale: "de_DE" }))).changes).toEqual([]);
    expect(lab.asked()).toEqual(["getPreference", "getPreference"]);
  });

  test("sets a time zone that was never set before", async () => {
    await using lab = await openLab();
    const report = await lab.apply(prefers({ timezone: "Europe/Oslo" }));
    expect(report.plan.changes).toMatchObject([{ action: "create" }]);
    expect(results(report)).toEqual(["applied"]);
  });

  test("sets any other preference by its key, whether it was set before or not", async () => {
    await using lab = await openLab({ as: jdoe });
    const key = "user.notifications.mimetype & ü";
    for (const value of ["text", 'h"tml', '"html"']) {
      expect(results(await lab.apply(prefers({ key, value })))).toEqual(["applied"]);
      expect(lab.sandbox.state().tracker.preferences.jdoe).toMatchObject({ [key]: value });
    }
    lab.asked();
    expect((await lab.plan(prefers({ key, value: '"html"' }))).inSync).toEqual([`tracker/UserPreference/${key}`]);
    expect(lab.asked()).toEqual(["getPreference"]);
  });

  test("reports which side changed: the manifest, the service or both", async () => {
    await using lab = await openLab({ as: jdoe });
    const verdict = async (now: string, base: string) =>
      (await lab.plan({ now: prefers({ timezone: now }), base: prefers({ timezone: base }) })).changes.map(
        (change) => change.verdict,
      );
    expect(await verdict("UTC", "Europe/Oslo")).toEqual(["pending"]);
    expect(await verdict("UTC", "UTC")).toEqual(["drift"]);
    expect(await verdict("UTC", "Asia/Tokyo")).toEqual(["conflict"]);
  });

  test("each preference has its own document, is declared once and cannot be absent", async () => {
    await using lab = await openLab();
    const mistake = [
      { code: "SP1002", message: expect.stringContaining("either timezone, locale, or key with value") },
    ];
    expect(await problemsOf(lab.plan(prefers({ timezone: "UTC", locale: "en_US" })))).toMatchObject(mistake);
    expect(await problemsOf(lab.plan(prefers({})))).toMatchObject(mistake);
    expect(await problemsOf(lab.plan(prefers({ key: "user.x" })))).toMatchObject(mistake);
    expect(await problemsOf(lab.plan(prefers({ key: "user.x", value: "" })))).toMatchObject([{ code: "SP1002" }]);
    expect(await problemsOf(lab.plan(prefers({ value: "x", locale: "en_US" })))).toMatchObject(mistake);
    const named = await problemsOf(lab.plan(prefers({ key: "jira.user.timezone", value: "UTC" })));
    expect(named).toMatchObject([{ code: "SP1002", message: expect.stringContaining("set timezone or locale") }]);
    const twice = prefers({ timezone: "UTC" }) + prefers({ timezone: "Asia/Tokyo" });
    expect(await problemsOf(lab.plan(twice))).toMatchObject([{ code: "SP1006" }]);
    const absent = document("UserPreference", { timezone: "UTC" }, { state: "absent" });
    expect(await problemsOf(lab.plan(absent))).toMatchObject([{ code: "SP1002" }]);
  });

  test("imported preferences are in sync, and those that were never set are left out", async () => {
    await using lab = await openLab({ as: jdoe });
    const specs = await userPreference.list?.(readerOn(lab, "tracker", jdoe));
    expect(specs).toEqual([{ timezone: "Europe/Oslo" }]);
    expect(lab.asked()).toEqual(["getPreference", "getPreference"]);
    const plan = await lab.plan(imported(userPreference, specs));
    expect([plan.changes, plan.inSync.length]).toEqual([[], 1]);
    expect(await userPreference.list?.(readerOn(lab, "tracker"))).toEqual([]);
  });

  test("an account that must solve a CAPTCHA makes preferences unknown, not unset", async () => {
    await using lab = await openLab();
    lab.sandbox.change(({ tracker }) => {
      tracker.captcha = ["admin"];
    });
    const plan = await lab.plan(prefers({ timezone: "UTC" }));
    expect(plan.unknown.map(({ problem }) => problem.code)).toEqual(["SP3003"]);
    expect(plan.calls).toEqual([]);
  });
});
