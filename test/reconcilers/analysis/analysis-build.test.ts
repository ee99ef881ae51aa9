import { describe, expect, test } from "vitest";
import type { Metadata } from "../../../src/core/resource.ts";
import { analysisBuild } from "../../../src/reconcilers/analysis/analysis-build.ts";
import { type Lab, openLab, problemsOf } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";

function build(spec: Readonly<Record<string, unknown>>, metadata: Partial<Metadata> = {}): string {
  return document("AnalysisBuild", { project: "core", ...spec }, metadata);
}

const released = build({ name: "rel 2.4", renamedFrom: "nightly-142", keepIt: true });

function buildsIn({ sandbox }: Lab) {
  return Object.fromEntries(sandbox.state().analysis.builds.map(({ name, keepit }) => [name, keepit]));
}

describe("AnalysisBuild", () => {
  test("budget: renames and keeps a build with one write, and reads once per project before and after", async () => {
    await using lab = await openLab();
    const both = released + build({ name: "nightly-141", keepIt: true });
    const report = await lab.apply(both);
    expect(report.plan.calls.map(({ operation, args }) => [operation, args])).toEqual([
      ["updateBuild", { project: "core", name: "nightly-141", keepit: true }],
      ["updateBuild", { project: "core", name: "nightly-142", new_name: "rel 2.4", keepit: true }],
    ]);
    expect(report.outcomes.map(({ result }) => result)).toEqual(["applied", "applied"]);
    expect(lab.asked()).toEqual(["builds", "projects", "updateBuild", "updateBuild", "builds"]);
    expect(buildsIn(lab)).toEqual({ "rel 2.3": true, "nightly-141": true, "rel 2.4": true, "boot-7": false });
    expect((await lab.plan(both)).changes).toEqual([]);
    expect(lab.asked()).toEqual(["builds"]);
  });

  test("leaves a former name alone once another build has it, and no other document can declare that build", async () => {
    await using lab = await openLab();
    const kept = build({ name: "rel 2.3", renamedFrom: "nightly-142" });
    expect((await lab.plan(kept)).changes).toEqual([]);
    const twice = await problemsOf(lab.plan(kept + build({ name: "nightly-142", keepIt: true })));
    expect(twice).toMatchObject([{ code: "SP1016" }]);
  });

  test("a build that does not exist needs a person, since only analyses create builds", async () => {
    await using lab = await openLab();
    const plan = await lab.plan(build({ name: "nightly-999" }));
    expect(plan.changes).toMatchObject([{ action: "check", instruction: expect.stringContaining("run the analysis") }]);
  });

  test("is unknown in a project that the service does not have", async () => {
    await using lab = await openLab();
    const plan = await lab.plan(build({ project: "nowhere", name: "a" }));
    expect(plan.unknown).toMatchObject([{ problem: { code: "SP3005", message: expect.stringContaining("nowhere") } }]);
  });

  test("stays when it leaves the manifests, cannot be absent, and can only be renamed to another name", async () => {
    await using lab = await openLab();
    expect((await lab.plan({ now: "", base: released })).changes).toEqual([]);
    expect(await problemsOf(lab.plan(build({ name: "rel 2.3" }, { state: "absent" })))).not.toEqual([]);
    expect(analysisBuild.spec.safeParse({ project: "p", name: "a", renamedFrom: "a" }).success).toBe(false);
  });
});
