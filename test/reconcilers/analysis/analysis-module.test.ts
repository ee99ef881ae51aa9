import { describe, expect, test } from "vitest";
import { ModuleRecord } from "../../../src/clients/analysis/records.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import type { Metadata } from "../../../src/core/resource.ts";
import { analysisModule } from "../../../src/reconcilers/analysis/analysis-module.ts";
import { type Lab, openLab, problemsOf } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";
import { listLive, readerWith } from "./live.ts";

function module(spec: Readonly<Record<string, unknown>>, metadata: Partial<Metadata> = {}): string {
  return document("AnalysisModule", { project: "core", name: "flight", ...spec }, metadata);
}

function modulesOf({ sandbox }: Lab) {
  return Object.fromEntries(sandbox.state().analysis.modules.map((one) => [one.name, one]));
}

function results(report: Awaited<ReturnType<Lab["apply"]>>) {
  return report.outcomes.map(({ result }) => result);
}

describe("AnalysisModule", () => {
  test("budget: modules of two projects are one read per project, one write each and one read to verify", async () => {
    await using lab = await openLab();
    const all = Array.from({ length: 10 }, (_, n) =>
      module({ name: `module ${n}`, project: n % 2 === 0 ? "core" : "bootloader", paths: ["/src/**"] }),
    ).join("");
    expect(results(await lab.apply(all))).toEqual(Array(10).fill("applied"));
    const asked = lab.asked();
    // The projects that they belong to are not declared, so they are looked up once.
    expect(asked.slice(0, 3)).toEqual(["modules", "modules", "projects"]);
    expect(asked.slice(3)).toEqual([...Array(10).fill("createModule"), "modules", "modules"]);
    expect((await lab.plan(all)).inSync).toHaveLength(10);
    expect(lab.asked()).toEqual(["modules", "modules"]);
  });

  test("sends only what differs, and leaves what is not stated", async () => {
    await using lab = await openLab();
    const report = await lab.apply(
      module({ allowAll: false, paths: ["/src/pid/**", "/src/frame*"] }) +
        module({ name: "drivers", paths: ["/src/watchdog*", "/hal, new/*"] }),
    );
    expect(report.plan.calls.map(({ operation, args }) => [operation, args])).toEqual([
      ["updateModule", { project: "core", name: "drivers", paths: ["/src/watchdog*", "/hal, new/*"] }],
      ["updateModule", { project: "core", name: "flight", allow_all: false }],
    ]);
    expect(modulesOf(lab)).toMatchObject({
      drivers: { allow_all: false, paths: ["/src/watchdog*", "/hal, new/*"] },
      flight: { allow_all: false, paths: ["/src/frame*", "/src/pid/**"] },
    });
    expect((await lab.plan(module({}))).changes).toEqual([]);
  });

  test.each([
    ["opened to all", { name: "drivers", allowAll: true }, {}, ["widens-access"]],
    ["closed", { allowAll: false }, {}, ["narrows-access"]],
    ["created closed", { name: "new", allowAll: false, paths: ["/new/**"] }, {}, ["narrows-access"]],
    ["created open", { name: "new" }, {}, []],
    ["given other paths", { paths: [] }, {}, []],
    ["closed, and has fewer paths", { name: "drivers", paths: [] }, {}, ["widens-access"]],
    ["closed, and has more paths", { name: "drivers", paths: ["/src/watchdog*", "/hal/*"] }, {}, ["narrows-access"]],
    ["deleted", {}, { state: "absent" as const }, ["irreversible"]],
    ["deleted, which was closed", { name: "drivers" }, { state: "absent" as const }, ["irreversible", "widens-access"]],
  ])("the risks of a module that is %s", async (_what, spec, metadata, risks) => {
    await using lab = await openLab();
    expect((await lab.plan(module(spec, metadata))).changes).toMatchObject([{ risks }]);
  });

  test("a module of which the service does not report who sees it counts as closed", () => {
    const live = { project: "core", name: "flight", paths: ["/src/**"] };
    const base = { address: "analysis/AnalysisModule/core:flight", key: "core:flight", verdict: "pending" } as const;
    const gone = { ...base, action: "delete", declared: live, live, kept: [], marker: undefined } as const;
    expect(analysisModule.risk?.(gone)).toEqual(["irreversible", "widens-access"]);
  });

  test("deletes a module that is declared absent or has left the manifests", async () => {
    await using lab = await openLab();
    await lab.apply(module({}, { state: "absent" }));
    expect(lab.asked()).toEqual(["modules", "deleteModule", "modules"]);
    await lab.apply({ now: "", base: module({ name: "drivers" }) });
    expect(modulesOf(lab)).toEqual({});
  });

  test("renames and changes a module in one call, and does not delete the old one that left the manifests", async () => {
    await using lab = await openLab();
    const renamed = {
      now: module({ name: "hal", renamedFrom: "drivers", paths: ["/hal/*"] }),
      base: module({ name: "drivers" }),
    };
    const report = await lab.apply(renamed);
    expect(report.plan.calls.map(({ operation, args }) => [operation, args])).toEqual([
      ["updateModule", { project: "core", name: "drivers", new_name: "hal", paths: ["/hal/*"] }],
    ]);
    expect(results(report)).toEqual(["applied"]);
    expect(modulesOf(lab)).toMatchObject({ flight: {}, hal: { allow_all: false, paths: ["/hal/*"] } });
    expect((await lab.plan(renamed)).changes).toEqual([]);
  });

  test("tells what someone changed from a rename, with the base that has the former name", async () => {
    await using lab = await openLab();
    const renamed = {
      now: module({ name: "hal", renamedFrom: "drivers", paths: ["/hal/*"] }),
      base: module({ name: "drivers", paths: ["/hal/*"] }),
    };
    const { changes } = await lab.plan(renamed);
    expect(changes).toMatchObject([
      {
        fields: [
          { path: ["name"], verdict: "pending" },
          { path: ["paths"], verdict: "drift" },
        ],
      },
    ]);
    await lab.apply(module({ name: "drivers" }, { state: "absent" }));
    expect((await lab.plan(renamed)).changes).toMatchObject([{ action: "create", verdict: "drift" }]);
  });

  test("never deletes a module under its former name, and leaves that name alone once another module has it", async () => {
    await using lab = await openLab();
    const gone = await lab.apply(module({ name: "hal", renamedFrom: "drivers" }, { state: "absent" }));
    expect(gone.plan.changes).toEqual([]);
    const both = module({ name: "flight", renamedFrom: "drivers" });
    expect((await lab.plan({ now: both, base: module({ name: "drivers" }) })).changes).toEqual([]);
    expect(await problemsOf(lab.plan(both + module({ name: "drivers" })))).toMatchObject([{ code: "SP1016" }]);
    expect(Object.keys(modulesOf(lab))).toEqual(["flight", "drivers"]);
    expect(results(await lab.apply({ now: "", base: both }))).toEqual(["applied"]);
    expect(Object.keys(modulesOf(lab))).toEqual(["drivers"]);
  });

  test("is not created without paths, which the server requires: a person must declare them", async () => {
    await using lab = await openLab();
    const { changes, calls } = await lab.plan(module({ name: "new" }));
    expect(changes).toMatchObject([{ action: "check", instruction: expect.stringContaining("Declare `paths`") }]);
    expect(calls).toEqual([]);
  });

  test("is an error in a project that is neither declared nor live", async () => {
    await using lab = await openLab();
    expect(await problemsOf(lab.plan(module({ project: "nowhere", paths: ["/src/**"] })))).toMatchObject([
      { code: "SP1010", message: expect.stringContaining("analysis/AnalysisProject/nowhere") },
    ]);
    expect((await lab.plan(module({ project: "nowhere" }, { state: "absent" }))).changes).toEqual([]);
  });

  test("is unknown, not absent, if it cannot be read in an existing project", async () => {
    const refuse = () => Promise.reject(new ProblemError({ code: "SP3009", message: "The service failed." }));
    const read = readerWith({ projects: async () => [{ id: 1, name: "core" }], modules: refuse });
    const observed = analysisModule.observe(read, "", [{ project: "core", name: "a" }], new Date(0));
    expect(await problemsOf(observed)).toMatchObject([{ code: "SP3009" }]);
    await using lab = await openLab({ as: { username: "admin", secret: "wrong" } });
    const plan = await lab.plan(module({}));
    expect(plan.unknown.map(({ problem }) => problem.code)).toEqual(["SP3003"]);
  });

  test.each([
    ["allow_all", { allow_all: false }, false],
    ["allowAll", { allowAll: false }, false],
    ["both, and the same", { allow_all: true, allowAll: true }, true],
    ["both, and different", { allow_all: true, allowAll: false }, undefined],
  ])("reads from the service whether all users have access: %s", async (_what, said, allowAll) => {
    const read = readerWith({ modules: async () => [ModuleRecord.parse({ name: "flight", paths: [], ...said })] });
    const wanted = { project: "core", name: "flight", allowAll: false };
    const found = (await analysisModule.observe(read, "", [wanted], new Date(0))).get("core:flight");
    expect(found).toMatchObject(allowAll === undefined ? { is: "unknown" } : { is: "present", spec: { allowAll } });
  });

  test("is unknown if the manifest sets access that the service does not report", async () => {
    const read = readerWith({ modules: async () => [{ name: "flight", paths: [] }] });
    const observed = async (spec: { readonly allowAll?: boolean }) => {
      const wanted = { project: "core", name: "flight", ...spec };
      return (await analysisModule.observe(read, "", [wanted], new Date(0))).get("core:flight");
    };
    expect((await observed({}))?.is).toBe("present");
    expect(await observed({ allowAll: true })).toMatchObject({ is: "unknown", problem: { code: "SP3103" } });
  });

  test("lists the modules of all projects with one read per project and one for the projects", async () => {
    await using lab = await openLab();
    const { specs, manifest, asked } = await listLive(lab, "AnalysisModule");
    expect(specs).toEqual([
      { project: "core", name: "flight", allowAll: true, paths: ["/src/frame*", "/src/pid/**"] },
      { project: "core", name: "drivers", allowAll: false, paths: ["/src/watchdog*"] },
    ]);
    expect(asked).toEqual(["projects", "modules", "modules"]);
    expect(await lab.plan(manifest)).toMatchObject({ changes: [], unknown: [] });
  });

  test("a project whose modules the service refuses is named and left out; a list that cannot name it fails", async () => {
    const refusal = new ProblemError({ code: "SP3007", message: "Permission denied." });
    const read = readerWith({
      projects: async () => ["core", "secret"].map((name, id) => ({ id, name })),
      modules: async ({ project }) => (project === "secret" ? Promise.reject(refusal) : [{ name: "flight" }]),
    });
    const leftOut: unknown[] = [];
    const listed = await analysisModule.list?.(read, new Date(0), (key, { code }) => leftOut.push([key, code]));
    expect(listed).toEqual([{ project: "core", name: "flight" }]);
    expect(leftOut).toEqual([["secret:*", "SP3007"]]);
    await expect(analysisModule.list?.(read)).rejects.toEqual(refusal);
  });

  test("accepts special characters in names and patterns, and no repeated pattern", async () => {
    await using lab = await openLab();
    const hard = `+ü,\\"';/&=% :x`;
    const manifest = module({ name: hard, paths: [hard, "a,b", "c\\"] });
    expect(results(await lab.apply(manifest))).toEqual(["applied"]);
    expect((await lab.plan(manifest)).changes).toEqual([]);
    expect(analysisModule.spec.safeParse({ project: "p", name: "n", paths: ["a", "a"] }).success).toBe(false);
  });
});
