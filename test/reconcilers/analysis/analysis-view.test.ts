import { describe, expect, test } from "vitest";
import type { Metadata } from "../../../src/core/resource.ts";
import { analysisView } from "../../../src/reconcilers/analysis/analysis-view.ts";
import { type Lab, openLab, problemsOf } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";
import { listLive, readerWith } from "./live.ts";

const critical = "New and critical";

function view(spec: Readonly<Record<string, unknown>>, metadata: Partial<Metadata> = {}): string {
  return document("AnalysisView", { project: "core", name: critical, ...spec }, metadata);
}

function viewOf({ sandbox }: Lab, name = critical) {
  return sandbox.state().analysis.views.find((one) => one.name === name);
}

function results(report: Awaited<ReturnType<Lab["apply"]>>) {
  return report.outcomes.map(({ result }) => result);
}

describe("AnalysisView", () => {
  test("budget: views are one read per project, one write each and one read to verify; tags are one more write", async () => {
    await using lab = await openLab();
    const all = Array.from({ length: 10 }, (_, n) => view({ name: `view ${n}`, query: "state:New" })).join("");
    expect(results(await lab.apply(all))).toEqual(Array(10).fill("applied"));
    // The project is not declared, so it is looked up once.
    expect(lab.asked()).toEqual(["views", "projects", ...Array(10).fill("createView"), "views"]);
    await lab.plan(all);
    expect(lab.asked()).toEqual(["views"]);
    await lab.apply(view({ name: "tagged", tags: ["a,b", "c"] }));
    expect(lab.asked()).toEqual(["views", "projects", "createView", "updateView", "views"]);
    expect(viewOf(lab, "tagged")).toMatchObject({ query: "", tags: ["a,b", "c"] });
  });

  test("sends only what differs, and leaves what is not stated", async () => {
    await using lab = await openLab();
    const report = await lab.apply(view({ query: "state:New severity:1-2", tags: ["weekly", "triage"] }));
    expect(report.plan.calls.map(({ operation, args }) => [operation, args])).toEqual([
      ["updateView", { project: "core", name: critical, tags: ["weekly", "triage"] }],
    ]);
    await lab.apply(view({ query: "severity:1 file:'rel  2.4'" }));
    expect(viewOf(lab)).toMatchObject({
      query: "severity:1 file:'rel  2.4'",
      tags: ["weekly", "triage"],
      is_public: true,
    });
    await lab.apply(view({ tags: [] }));
    expect(viewOf(lab)?.tags).toEqual([]);
  });

  test.each(["build:+'rel 2.4'", "state:New Build:any", "+build:7"])(
    "refuses a query for a build, which the service does not support in a view: %s",
    async (query) => {
      await using lab = await openLab();
      expect(await problemsOf(lab.plan(view({ query })))).toMatchObject([
        { code: "SP1002", message: expect.stringContaining("without build:") },
      ]);
      expect((await lab.plan(view({ query: "file:'x build: y'" }))).changes).toHaveLength(1);
    },
  );

  test("imports a view without a query that no manifest accepts", async () => {
    await using lab = await openLab();
    lab.sandbox.change(({ analysis }) => {
      for (const one of analysis.views) one.query = "state:New build:any";
    });
    const { specs } = await listLive(lab, "AnalysisView");
    expect(specs).toEqual([{ project: "core", name: critical, tags: ["triage"], isPublic: true }]);
  });

  test("is made visible to all, or to its creator alone, only if the manifest says so", async () => {
    await using lab = await openLab();
    const sent = async (manifest: string) => (await lab.apply(manifest)).plan.calls.map(({ args }) => args);
    const seen = () => [viewOf(lab)?.is_public, viewOf(lab, "ours")?.is_public];
    expect(await sent(view({ isPublic: false }) + view({ name: "ours", isPublic: true }))).toEqual([
      { project: "core", name: critical, is_public: false },
      { project: "core", name: "ours", query: "" },
      { project: "core", name: "ours", is_public: true },
    ]);
    expect(seen()).toEqual([false, true]);
    expect(await sent(view({}) + view({ name: "ours" }))).toEqual([]);
    expect(seen()).toEqual([false, true]);
  });

  test("is unknown if the manifest says who sees it and the service does not", async () => {
    const read = readerWith({ views: async () => [{ name: critical }] });
    const wanted = { project: "core", name: critical, isPublic: true };
    const found = await analysisView.observe(read, "", [wanted], new Date(0));
    expect(found.get(`core:${critical}`)).toMatchObject({ is: "unknown", problem: { code: "SP3103" } });
  });

  test("views of one name by different people are unknown, because calls tell them apart by name alone", async () => {
    await using lab = await openLab();
    lab.sandbox.change(({ analysis }) => {
      const [first] = analysis.views;
      if (first !== undefined) analysis.views.push({ ...first, id: 99, creator: "jdoe", query: "state:Fixed" });
    });
    for (const spec of [{ query: "state:New severity:1-2" }, { name: "new", renamedFrom: critical }]) {
      const { changes, unknown } = await lab.plan(view(spec));
      expect(changes).toEqual([]);
      expect(unknown).toMatchObject([{ problem: { code: "SP3010", message: expect.stringContaining("admin, jdoe") } }]);
    }
    const left: string[] = [];
    const read = readerWith({
      projects: async () => [{ id: "1", name: "core" }],
      views: async () => [{ name: "a" }, { name: "b", creator: "admin" }, { name: "b", creator: "jdoe" }],
    });
    expect(await analysisView.list?.(read, undefined, (key) => left.push(key))).toMatchObject([{ name: "a" }]);
    expect(left).toEqual(["core:b"]);
  });

  test("ignores spaces between terms, but not those in a quoted value", async () => {
    await using lab = await openLab();
    expect((await lab.plan(view({ query: " state:New   severity:1-2 " }))).changes).toEqual([]);
    await lab.apply(view({ query: "file:'rel  2.4'" }));
    expect((await lab.plan(view({ query: "file:'rel 2.4'" }))).changes).toHaveLength(1);
  });

  test("renames a view, and does not delete the old one that left the manifests", async () => {
    await using lab = await openLab();
    const renamed = { now: view({ name: "Worst", renamedFrom: critical }), base: view({}) };
    const report = await lab.apply(renamed);
    expect(report.plan.calls.map(({ operation, args }) => [operation, args])).toEqual([
      ["updateView", { project: "core", name: critical, new_name: "Worst" }],
    ]);
    expect(results(report)).toEqual(["applied"]);
    expect(viewOf(lab, "Worst")).toMatchObject({ tags: ["triage"], is_public: true });
    expect((await lab.plan(renamed)).changes).toEqual([]);
    const builtIn = { project: "core", name: "mine", renamedFrom: "*default*" };
    expect(analysisView.spec.safeParse(builtIn).success).toBe(false);
  });

  test("deletes a view that is declared absent or has left the manifests", async () => {
    await using lab = await openLab();
    const report = await lab.apply(view({}, { state: "absent" }));
    expect(report.plan.changes).toMatchObject([{ action: "delete", risks: ["irreversible"] }]);
    expect(lab.asked()).toEqual(["views", "deleteView", "views"]);
    await lab.apply(view({ name: "other" }));
    await lab.apply({ now: "", base: view({ name: "other" }) });
    expect(lab.sandbox.state().analysis.views).toEqual([]);
  });

  test("never deletes the built-in view, which can be neither declared nor imported", async () => {
    await using lab = await openLab();
    const builtIn = view({ name: "*default*" }, { state: "absent" });
    expect(await problemsOf(lab.plan(builtIn))).toMatchObject([{ code: "SP1002" }]);
    const { specs } = await listLive(lab, "AnalysisView");
    expect(JSON.stringify(specs)).not.toContain("*default*");
  });

  test("is an error in a project that is neither declared nor live", async () => {
    await using lab = await openLab();
    expect(await problemsOf(lab.plan(view({ project: "nowhere" })))).toMatchObject([
      { code: "SP1010", message: expect.stringContaining("analysis/AnalysisProject/nowhere") },
    ]);
  });

  test("a query that the service does not understand fails only the view, in the service's words", async () => {
    await using lab = await openLab();
    const report = await lab.apply(view({ name: "bad", query: "nonsense" }) + view({ name: "good" }));
    expect(report.outcomes).toMatchObject([
      { result: "failed", problem: { code: "SP3007", message: expect.stringContaining("nonsense") } },
      { result: "applied" },
    ]);
  });

  test("a service that rejects the credentials makes its views unknown", async () => {
    await using lab = await openLab({ as: { username: "admin", secret: "wrong" } });
    const plan = await lab.plan(view({}));
    expect(plan.unknown.map(({ problem }) => problem.code)).toEqual(["SP3003"]);
  });

  test("lists the views of all projects with one read per project and one for the projects", async () => {
    await using lab = await openLab();
    const { specs, manifest, asked } = await listLive(lab, "AnalysisView");
    const stored = { query: "state:New severity:1-2", tags: ["triage"], isPublic: true };
    expect(specs).toEqual([{ project: "core", name: critical, ...stored }]);
    expect(asked).toEqual(["projects", "views", "views"]);
    expect(await lab.plan(manifest)).toMatchObject({ changes: [], unknown: [] });
  });

  test("accepts special characters in names and tags, and only one line in a query", async () => {
    await using lab = await openLab();
    const hard = `+ü,\\"';/&=% :x`;
    const manifest = view({ name: hard, tags: [hard, "a,b"] });
    expect(results(await lab.apply(manifest))).toEqual(["applied"]);
    expect((await lab.plan(manifest)).changes).toEqual([]);
    const isFine = (query: string) => analysisView.spec.safeParse({ project: "p", name: "n", query }).success;
    expect(["", "state:New", "a\nb"].map(isFine)).toEqual([true, true, false]);
  });
});
