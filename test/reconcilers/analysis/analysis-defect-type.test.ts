import { describe, expect, test } from "vitest";
import type { Metadata } from "../../../src/core/resource.ts";
import { analysisDefectType } from "../../../src/reconcilers/analysis/analysis-defect-type.ts";
import { type Lab, openLab, problemsOf } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";
import { listLive, readerWith } from "./live.ts";

function type(code: string, enabled: boolean, metadata: Partial<Metadata> = {}, project = "core"): string {
  return document("AnalysisDefectType", { project, code, enabled }, metadata);
}

function enabledIn({ sandbox }: Lab) {
  return sandbox.state().analysis.defectTypes.flatMap(({ code, enabled }) => (enabled ? [code] : []));
}

describe("AnalysisDefectType", () => {
  test("budget: one read per project, one write per defect type that differs and one read to verify", async () => {
    await using lab = await openLab();
    const all = type("ABV.GENERAL", false) + type("NPD.FUNC.MUST", true) + type("UNUSED.FUNC", true);
    const report = await lab.apply(all);
    expect(report.plan.calls.map(({ args }) => args)).toEqual([
      { project: "core", code: "ABV.GENERAL", enabled: false },
      { project: "core", code: "UNUSED.FUNC", enabled: true },
    ]);
    expect(report.outcomes.map(({ result }) => result)).toEqual(["applied", "applied"]);
    // The project is not declared, so it is looked up once.
    expect(lab.asked()).toEqual(["defectTypes", "projects", "updateDefectType", "updateDefectType", "defectTypes"]);
    expect(enabledIn(lab)).toEqual(["NPD.FUNC.MUST", "UNUSED.FUNC"]);
    expect((await lab.plan(all)).inSync).toHaveLength(3);
    expect(lab.asked()).toEqual(["defectTypes"]);
  });

  test("reports which side changed: the manifest or the service", async () => {
    await using lab = await openLab();
    const verdicts = async (now: boolean, base: boolean) =>
      (await lab.plan({ now: type("UNUSED.FUNC", now), base: type("UNUSED.FUNC", base) })).changes.map(
        ({ verdict }) => verdict,
      );
    expect(await verdicts(true, false)).toEqual(["pending"]);
    expect(await verdicts(true, true)).toEqual(["drift"]);
  });

  test("a code that the project does not have needs a person to add the checker", async () => {
    await using lab = await openLab();
    const plan = await lab.plan(type("MY.CHECK", true));
    expect(plan.changes).toMatchObject([{ action: "check", instruction: expect.stringContaining("MY.CHECK") }]);
    expect(plan.calls).toEqual([]);
  });

  test("a type that an older server, which lists only enabled ones, does not list is disabled, and can be enabled", async () => {
    await using lab = await openLab();
    lab.sandbox.change(({ analysis }) => {
      analysis.defectTypes = analysis.defectTypes.filter(({ enabled }) => enabled);
    });
    expect(await lab.plan(type("UNUSED.FUNC", false))).toMatchObject({ changes: [], unknown: [] });
    const plan = await lab.plan(type("UNUSED.FUNC", true));
    expect(plan.changes).toMatchObject([{ action: "update", note: expect.stringContaining("not listed") }]);
    expect(plan.calls.map(({ args }) => args)).toEqual([{ project: "core", code: "UNUSED.FUNC", enabled: true }]);
  });

  test("cannot be deleted: what leaves the manifests stays as it is, and absent is an error", async () => {
    await using lab = await openLab();
    expect((await lab.plan({ now: "", base: type("ABV.GENERAL", false) })).changes).toEqual([]);
    expect((await problemsOf(lab.plan(type("ABV.GENERAL", true, { state: "absent" })))).length).toBeGreaterThan(0);
  });

  test("is unknown in a project that the service does not have", async () => {
    await using lab = await openLab();
    const plan = await lab.plan(type("ABV.GENERAL", true, {}, "nowhere"));
    expect(plan.unknown).toMatchObject([{ problem: { code: "SP3005", message: expect.stringContaining("nowhere") } }]);
    expect(lab.asked()).toEqual(["defectTypes", "version", "projects"]);
  });

  test("is unknown if its record does not say whether it is enabled, and cannot be listed", async () => {
    const read = readerWith({
      projects: async () => [{ id: 1, name: "core" }],
      defectTypes: async () => [{ code: "A" }],
    });
    const wanted = { project: "core", code: "A", enabled: true };
    const found = await analysisDefectType.observe(read, "", [wanted], new Date(0));
    expect(found.get("core:A")).toMatchObject({ is: "unknown", problem: { code: "SP3103" } });
    expect(await problemsOf(analysisDefectType.list?.(read) ?? Promise.resolve())).toMatchObject([{ code: "SP3103" }]);
  });

  test("lists the defect types of all projects with one read per project and one for the projects", async () => {
    await using lab = await openLab();
    const { specs, manifest, asked } = await listLive(lab, "AnalysisDefectType");
    expect(specs).toEqual([
      { project: "core", code: "NPD.FUNC.MUST", enabled: true },
      { project: "core", code: "ABV.GENERAL", enabled: true },
      { project: "core", code: "UNUSED.FUNC", enabled: false },
    ]);
    expect(asked).toEqual(["projects", "defectTypes", "defectTypes"]);
    expect(await lab.plan(manifest)).toMatchObject({ changes: [], unknown: [] });
  });
});
