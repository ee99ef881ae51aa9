import { describe, expect, test } from "vitest";
import type { Metadata } from "../../../src/core/resource.ts";
import { analysisProject } from "../../../src/reconcilers/analysis/analysis-project.ts";
import { type Lab, openLab, problemsOf } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";
import { listLive, readerWith } from "./live.ts";

function project(spec: Readonly<Record<string, unknown>>, metadata: Partial<Metadata> = {}): string {
  return document("AnalysisProject", spec, metadata);
}

const importFrom = { sourceUrl: "https://old.example.com:8080", admin: "migration", password: "${env:OLD_PASSWORD}" };
const env = { OLD_PASSWORD: "p4ss & wörd" };
const address = (name: string) => `analysis/AnalysisProject/${name}`;

function namesIn({ sandbox }: Lab) {
  return sandbox.state().analysis.projects.map(({ name }) => name);
}

function results(report: Awaited<ReturnType<Lab["apply"]>>) {
  return report.outcomes.map(({ result }) => result);
}

/** An import that the service has started and not finished. */
function importing(lab: Lab, name: string, status: string) {
  lab.sandbox.change(({ analysis }) => {
    analysis.imports.push({ project: name, source: importFrom.sourceUrl, status });
  });
}

describe("AnalysisProject", () => {
  test("imports a missing project: two reads, one write, one read to verify", async () => {
    await using lab = await openLab({ env });
    const report = await lab.apply(project({ name: "gearbox", importFrom }));
    expect(report.outcomes).toEqual([{ address: address("gearbox"), result: "applied" }]);
    expect(lab.asked()).toEqual(["projects", "importStatus", "importProject", "projects"]);
    expect(namesIn(lab)).toEqual(["core", "bootloader", "gearbox"]);
    expect((await lab.plan(project({ name: "gearbox", importFrom }))).inSync).toEqual([address("gearbox")]);
  });

  test("budget: twenty existing projects are one read", async () => {
    await using lab = await openLab();
    lab.sandbox.change(({ analysis }) => {
      analysis.projects = Array.from({ length: 20 }, (_, n) => ({ id: String(n), name: `project ${n}` }));
    });
    const all = Array.from({ length: 20 }, (_, n) => project({ name: `project ${n}`, importFrom })).join("");
    expect((await lab.plan(all)).inSync).toHaveLength(20);
    expect(lab.asked()).toEqual(["projects"]);
  });

  test("shows and keeps the password of the other server only as a reference", async () => {
    await using lab = await openLab({ env });
    const report = await lab.apply(project({ name: "gearbox", importFrom }));
    expect(report.plan.calls.map(({ args }) => args)).toEqual([
      {
        project: "gearbox",
        sourceURL: importFrom.sourceUrl,
        sourceAdmin: "migration",
        sourcePassword: "${env:OLD_PASSWORD}",
      },
    ]);
    expect(JSON.stringify([report, lab.journal, lab.sandbox.requests(), lab.sandbox.state()])).not.toContain("p4ss");
    const written = await problemsOf(
      lab.plan(project({ name: "gearbox", importFrom: { ...importFrom, password: "x" } })),
    );
    expect(written).toContainEqual(expect.objectContaining({ code: "SP1015" }));
  });

  test("a missing password fails the import before anything is sent for it", async () => {
    await using lab = await openLab();
    const report = await lab.apply(project({ name: "gearbox", importFrom }));
    expect(report.outcomes).toMatchObject([{ result: "failed", problem: { code: "SP1015" } }]);
    expect(lab.asked()).not.toContain("importProject");
  });

  test("a missing project that cannot be imported needs a person, and blocks what it would contain", async () => {
    await using lab = await openLab();
    const module = document("AnalysisModule", { project: "gearbox", name: "drivers", paths: ["/hal/**"] });
    const plan = await lab.plan(project({ name: "gearbox" }) + module);
    expect(plan.changes).toMatchObject([
      { address: address("gearbox"), action: "check", instruction: expect.stringContaining("importFrom") },
    ]);
    expect(plan.unknown).toMatchObject([
      {
        address: "analysis/AnalysisModule/gearbox:drivers",
        problem: { code: "SP3005", message: expect.stringContaining(address("gearbox")) },
      },
    ]);
    expect(plan.calls).toEqual([]);
  });

  test("an unfinished import makes its project unknown, so that it is not imported twice", async () => {
    await using lab = await openLab({ env });
    importing(lab, "gearbox", "Importing, 40 %");
    const module = document("AnalysisModule", { project: "gearbox", name: "drivers", paths: ["/hal/**"] });
    const plan = await lab.plan(project({ name: "gearbox", importFrom }) + module);
    expect(plan.unknown.map(({ problem }) => problem.code)).toEqual(["SP2003", "SP3104"]);
    expect(plan.unknown[1]?.problem.message).toContain("Importing, 40 %");
    expect(plan.calls).toEqual([]);
  });

  test.each(["Completed", "Failed: no such project", "Cancelled"])(
    "an import that ended as %s can be repeated",
    async (status) => {
      await using lab = await openLab({ env });
      importing(lab, "gearbox", status);
      importing(lab, "gearbox 2", "Importing");
      expect(results(await lab.apply(project({ name: "gearbox", importFrom })))).toEqual(["applied"]);
    },
  );

  test("an import without a status counts as unfinished", async () => {
    const read = readerWith({ importStatus: async () => [{ project: "gearbox" }] });
    const found = await analysisProject.observe(read, "projects", [{ name: "gearbox", importFrom }], new Date(0));
    expect(found.get("gearbox")).toMatchObject({ is: "unknown", problem: { code: "SP3104" } });
  });

  test("renames a project, and does not delete the old one that left the manifests", async () => {
    await using lab = await openLab();
    const renamed = {
      now: project({ name: "boot", renamedFrom: "bootloader" }),
      base: project({ name: "bootloader" }),
    };
    const report = await lab.apply(renamed);
    expect(report.plan.calls.map(({ operation, args }) => [operation, args])).toEqual([
      ["updateProject", { name: "bootloader", new_name: "boot" }],
    ]);
    expect(results(report)).toEqual(["applied"]);
    expect(lab.asked()).toEqual(["projects", "updateProject", "projects"]);
    expect(namesIn(lab)).toEqual(["core", "boot"]);
    expect((await lab.plan(renamed)).changes).toEqual([]);
  });

  test("leaves a former name alone once another project has it", async () => {
    await using lab = await openLab();
    const manifest = project({ name: "core", renamedFrom: "bootloader" });
    expect((await lab.plan({ now: manifest, base: project({ name: "bootloader" }) })).changes).toEqual([]);
    const twice = await problemsOf(lab.plan(manifest + project({ name: "bootloader" })));
    expect(twice).toMatchObject([{ code: "SP1016" }]);
  });

  test("never deletes a project under its former name", async () => {
    await using lab = await openLab();
    const gone = project({ name: "boot", renamedFrom: "bootloader" }, { state: "absent" });
    expect((await lab.apply(gone)).plan.inSync).toEqual([address("boot")]);
    expect(namesIn(lab)).toEqual(["core", "bootloader"]);
  });

  test("deletes a project that is declared absent, which cannot be undone", async () => {
    await using lab = await openLab();
    const report = await lab.apply(project({ name: "core" }, { state: "absent" }));
    expect(report.plan.changes).toMatchObject([{ action: "delete", risks: ["irreversible"] }]);
    expect(lab.asked()).toEqual(["projects", "deleteProject", "projects"]);
    expect(namesIn(lab)).toEqual(["bootloader"]);
  });

  test("deletes what is removed from the manifests if there is a base, and keeps it otherwise", async () => {
    await using lab = await openLab();
    expect((await lab.plan("")).changes).toEqual([]);
    expect(results(await lab.apply({ now: "", base: project({ name: "core" }) }))).toEqual(["applied"]);
    expect(namesIn(lab)).toEqual(["bootloader"]);
  });

  test("is imported before what it contains, and deleted after it", async () => {
    await using lab = await openLab({ env });
    const all = [
      document("AnalysisModule", { project: "gearbox", name: "drivers", paths: ["/src/*"] }),
      document("AnalysisView", { project: "gearbox", name: "New", query: "state:New" }),
      document("AnalysisRoleAssignment", { role: "Triage", project: "gearbox", account: "jdoe" }),
      project({ name: "gearbox", importFrom }),
    ].join("");
    const writes = () => lab.asked().filter((name) => /^(create|update|delete|import)[A-Z](?!tatus)/.test(name));
    expect(results(await lab.apply(all))).toEqual(Array(4).fill("applied"));
    const created = writes();
    expect(created[0]).toBe("importProject");
    expect(created.slice(1).toSorted()).toEqual(["createModule", "createView", "updateRoleAssignment"]);
    expect((await lab.plan(all)).changes).toEqual([]);
    lab.asked();
    expect(results(await lab.apply({ now: "", base: all }))).toEqual(Array(4).fill("applied"));
    const deleted = writes();
    expect(deleted.slice(0, 3).toSorted()).toEqual(["deleteModule", "deleteView", "updateRoleAssignment"]);
    expect(deleted.slice(3)).toEqual(["deleteProject"]);
  });

  test("a service that rejects the credentials makes its projects unknown", async () => {
    await using lab = await openLab({ as: { username: "admin", secret: "wrong" } });
    const plan = await lab.plan(project({ name: "gearbox", importFrom }));
    expect(plan.unknown.map(({ problem }) => problem.code)).toEqual(["SP3003"]);
  });

  test("lists every project with one read; importing then planning gives an empty plan", async () => {
    await using lab = await openLab();
    const { specs, manifest, asked } = await listLive(lab, "AnalysisProject");
    expect(specs).toEqual([{ name: "core" }, { name: "bootloader" }]);
    expect(asked).toEqual(["projects"]);
    expect(await lab.plan(manifest)).toMatchObject({ changes: [], unknown: [] });
  });

  test("accepts special characters in names, and no credentials in the URL of a source", async () => {
    await using lab = await openLab({ env });
    const name = `+ü,\\"';/&=% :x`;
    expect(results(await lab.apply(project({ name, importFrom })))).toEqual(["applied"]);
    expect(results(await lab.apply(project({ name }, { state: "absent" })))).toEqual(["applied"]);
    const isFine = (sourceUrl: string) =>
      analysisProject.spec.safeParse({ name, importFrom: { ...importFrom, sourceUrl } }).success;
    const urls = ["http://a:8080/x@y", "https://me:secret@a", "https://me@a", "ftp://a", "a"];
    expect(urls.map(isFine)).toEqual([true, false, false, false, false]);
    expect(analysisProject.spec.safeParse({ name: "a", renamedFrom: "a" }).success).toBe(false);
  });
});
