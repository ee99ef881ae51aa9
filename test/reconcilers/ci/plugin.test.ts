import { describe, expect, test } from "vitest";
import { progressLines } from "../../../src/cli/terminal/progress.ts";
import type { Metadata } from "../../../src/core/resource.ts";
import { plugin as kind } from "../../../src/reconcilers/ci/plugin.ts";
import { type Lab, openLab, problemsOf } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";
import { imported, readerOn } from "../../support/read-lists.ts";

function plugin(spec: Readonly<Record<string, unknown>>, metadata: Partial<Metadata> = {}): string {
  return document("Plugin", spec, metadata);
}

/** A lab whose server has no running build for which a safe restart would wait. */
async function idleLab(options: Parameters<typeof openLab>[0] = {}): Promise<Lab> {
  const lab = await openLab(options);
  lab.sandbox.change(({ ci }) => {
    for (const job of Object.values(ci.jobs)) job.builds = [];
  });
  return lab;
}

function versionsOf({ sandbox }: Lab): Readonly<Record<string, string>> {
  return Object.fromEntries(sandbox.state().ci.plugins.map(({ shortName, version }) => [shortName, version]));
}

function results(report: Awaited<ReturnType<Lab["apply"]>>) {
  return report.outcomes.map(({ result }) => result);
}

describe("Plugin", () => {
  test("installs a new plugin without a restart", async () => {
    await using lab = await idleLab();
    const report = await lab.apply(plugin({ name: "prometheus", version: "795.v995762102f28" }));
    expect(report.outcomes).toEqual([{ address: "ci/Plugin/prometheus", result: "applied" }]);
    expect(lab.asked()).toEqual(["listPlugins", "getCrumb", "runScript", "listPlugins"]);
    expect(versionsOf(lab).prometheus).toBe("795.v995762102f28");
    expect(lab.sandbox.state().ci.starts).toBe(1);
  });

  test("says of a new plugin that it may need a restart, unless one is allowed", async () => {
    await using lab = await idleLab();
    const both = plugin({ name: "prometheus" }) + plugin({ name: "antisamy", restart: "safe" });
    expect((await lab.plan(both)).changes.map(({ key, note }) => [key, note])).toEqual([
      ["antisamy", undefined],
      ["prometheus", "may load only at a restart, which `restart: safe` allows"],
    ]);
  });

  test("budget: one read; one script and one restart for all, which is awaited before reading again", async () => {
    await using lab = await idleLab();
    const all =
      plugin({ name: "git", version: "5.7.0", restart: "safe" }) +
      plugin({ name: "prometheus", restart: "safe" }) +
      plugin({ name: "matrix-auth", restart: "safe" }, { state: "absent" });
    const report = await lab.apply(all);
    expect(results(report)).toEqual(["applied", "applied", "applied"]);
    expect(report.plan.calls.map(({ operation }) => operation)).toEqual(["runScript", "safeRestart"]);
    expect(lab.asked()).toEqual([
      "listPlugins",
      "getCrumb",
      "runScript",
      "getVersion",
      "safeRestart",
      // The sandbox answers twice that it is starting.
      "getVersion",
      "getVersion",
      "getVersion",
      "listPlugins",
    ]);
    expect(versionsOf(lab)).toMatchObject({ git: "5.7.0", prometheus: "795.v995762102f28" });
    expect(Object.keys(versionsOf(lab))).not.toContain("matrix-auth");
    expect((await lab.plan(all)).changes).toEqual([]);
    expect(lab.asked()).toEqual(["listPlugins"]);
  });

  test("a minimum is met by the installed version, or by the one that the update site offers", async () => {
    await using lab = await idleLab();
    expect((await lab.plan(plugin({ name: "git", version: ">=5.6" }))).changes).toEqual([]);
    expect((await lab.plan(plugin({ name: "git", version: "5.6" }))).changes).toEqual([]);
    const newer = plugin({ name: "git", version: ">=5.6.1", restart: "safe" });
    const report = await lab.apply(newer);
    expect(report.plan.changes).toMatchObject([{ fields: [{ live: "5.6.0", desired: ">=5.6.1" }] }]);
    expect(results(report)).toEqual(["applied"]);
    expect((await lab.plan(newer)).changes).toEqual([]);
  });

  test.each([
    [{ version: "5.6.9" }, "git 5.6.9 is not on the update site, which has 5.7.0"],
    [{ version: ">=6" }, "git 6 is not on the update site, which has 5.7.0"],
  ])("a version missing from the update site is refused and blocks no other plugin: %j", async (stated, said) => {
    await using lab = await idleLab();
    const before = lab.sandbox.state();
    const report = await lab.apply(
      plugin({ name: "git", restart: "safe", ...stated }) + plugin({ name: "prometheus" }),
    );
    expect(report.outcomes).toMatchObject([
      { result: "failed", problem: { code: "SP3007", message: expect.stringContaining(said) } },
      { result: "applied" },
    ]);
    expect(report.calls.map(({ result }) => result)).toEqual(["divided", "failed", "done", "skipped"]);
    expect(lab.sandbox.state().ci).toMatchObject({ starts: before.ci.starts });
  });

  test("another version without a restart needs a person, while a removal does not", async () => {
    await using lab = await idleLab();
    const plan = await lab.plan(plugin({ name: "git", version: "5.7.0" }));
    expect(plan.changes).toMatchObject([{ action: "check", instruction: expect.stringContaining("restart: safe") }]);
    expect(plan.calls).toEqual([]);
    const gone = plugin({ name: "git" }, { state: "absent" });
    expect(results(await lab.apply(gone))).toEqual(["applied"]);
    expect((await lab.plan(gone)).changes).toEqual([]);
    expect(lab.sandbox.state().ci).toMatchObject({ starts: 1, plugins: [{ shortName: "git", deleted: true }, {}, {}] });
  });

  test("a plugin that the next restart would remove counts as absent, and declaring it with a restart keeps it", async () => {
    await using lab = await idleLab();
    await lab.apply(plugin({ name: "git" }, { state: "absent" }));
    expect((await lab.plan(plugin({ name: "git" }))).changes).toMatchObject([{ action: "check" }]);
    expect(results(await lab.apply(plugin({ name: "git", restart: "safe" })))).toEqual(["applied"]);
    expect(versionsOf(lab).git).toBe("5.7.0");
  });

  test("an uninstalled plugin of the offered version comes back, although the server skips its installation until a restart", async () => {
    await using lab = await idleLab();
    const git = plugin({ name: "git", restart: "safe" });
    await lab.apply(plugin({ name: "git", version: "5.7.0", restart: "safe" }));
    await lab.apply(plugin({ name: "git" }, { state: "absent" }));
    const report = await lab.apply(git + plugin({ name: "prometheus", restart: "safe" }));
    expect(report.plan.calls.map(({ operation }) => operation)).toEqual(["safeRestart", "runScript", "safeRestart"]);
    expect(results(report)).toEqual(["applied", "applied"]);
    expect((await lab.plan(git)).changes).toEqual([]);
  });

  test("a plugin that others need is not removed without them", async () => {
    await using lab = await idleLab();
    lab.sandbox.change(({ ci }) => {
      for (const one of ci.plugins) if (one.shortName === "matrix-auth") one.needs.push("git");
    });
    const git = plugin({ name: "git", restart: "safe" }, { state: "absent" });
    expect((await lab.apply(git)).outcomes).toMatchObject([
      {
        result: "failed",
        problem: { code: "SP3007", message: expect.stringContaining("git is needed by matrix-auth") },
      },
    ]);
    expect(lab.sandbox.state().ci).toMatchObject({ starts: 1, plugins: [{ deleted: false }, {}, {}] });
    const both = git + plugin({ name: "matrix-auth", restart: "safe" }, { state: "absent" });
    expect(results(await lab.apply(both))).toEqual(["applied", "applied"]);
  });

  test("a removal that did not reach its restart is completed by the next apply", async () => {
    await using lab = await idleLab();
    await lab.apply(plugin({ name: "git" }, { state: "absent" }));
    const absent = plugin({ name: "git", restart: "safe" }, { state: "absent" });
    const pruned = await lab.plan({ now: "", base: plugin({ name: "git", restart: "safe" }) });
    expect(pruned.calls.map(({ operation }) => operation)).toEqual(["safeRestart"]);
    const report = await lab.apply(absent);
    expect(report.plan.changes).toMatchObject([{ action: "delete", note: expect.stringContaining("restarts") }]);
    expect(report.plan.calls.map(({ operation }) => operation)).toEqual(["safeRestart"]);
    expect(results(report)).toEqual(["applied"]);
    expect(Object.keys(versionsOf(lab))).not.toContain("git");
    expect((await lab.plan(absent)).changes).toEqual([]);
  });

  test("an apply gives up after 10 minutes if a build keeps the server from restarting", async () => {
    const seen = new Set<string>();
    await using lab = await openLab({
      onProgress: (progress) => {
        for (const line of progressLines(progress, { width: 80, height: 24 }, 0))
          seen.add(line.replaceAll(/ {2,}/g, "  "));
      },
    });
    const report = await lab.apply(plugin({ name: "git", version: "5.7.0", restart: "safe" }));
    // For these minutes, the terminal says what is awaited.
    expect([...seen]).toContain("ci  2 of 2 calls  waits until safeRestart has taken effect");
    expect([...seen].at(-1)).not.toContain("waits");
    expect(report.outcomes).toMatchObject([
      {
        result: "failed",
        problem: { code: "SP3105", operation: "safeRestart", hint: expect.stringMatching(/builds/) },
      },
    ]);
    expect(lab.sandbox.state().ci).toMatchObject({ starts: 1, restartPending: true });
  });

  test("properties that change in the same apply are set after the restart, which would reset them", async () => {
    await using lab = await idleLab();
    const manifests =
      document("SystemProperty", { name: "user.timezone", value: "UTC" }) +
      plugin({ name: "git", version: "5.7.0", restart: "safe" });
    expect(results(await lab.apply(manifests))).toEqual(["applied", "applied"]);
    expect((await lab.plan(manifests)).changes).toEqual([]);
  });

  test("reports which side changed, and prunes what left the manifests since the base", async () => {
    await using lab = await idleLab();
    const git = (version: string) => plugin({ name: "git", version, restart: "safe" });
    const verdict = async (now: string, base: string) =>
      (await lab.plan({ now: git(now), base: git(base) })).changes.map((change) => change.verdict);
    expect(await verdict("5.7.0", "5.6.0")).toEqual(["pending"]);
    expect(await verdict("5.7.0", "5.7.0")).toEqual(["drift"]);
    expect(await verdict("5.7.0", "5.5.0")).toEqual(["conflict"]);
    const pruned = await lab.plan({ now: "", base: plugin({ name: "git" }) });
    expect(pruned.changes).toMatchObject([{ action: "delete", verdict: "pending" }]);
  });

  test("the version of a private build is imported without the suffix of its build machine", async () => {
    await using lab = await openLab();
    lab.sandbox.change(({ ci }) => {
      for (const one of ci.plugins) one.version = "1.4-SNAPSHOT (private-0a1b2c3d-jdoe)";
    });
    const specs = (await kind.list?.(readerOn(lab, "ci"))) ?? [];
    expect(specs).toContainEqual(expect.objectContaining({ version: "1.4-SNAPSHOT" }));
    const plan = await lab.plan(imported(kind, specs));
    expect([plan.changes, plan.inSync.length]).toEqual([[], specs.length]);
  });

  test("a version of half a million open parentheses is listed as it is", async () => {
    await using lab = await idleLab();
    const version = `1.4${" (".repeat(500_000)}`;
    lab.sandbox.change(({ ci }) => {
      for (const one of ci.plugins.slice(1)) one.version = version;
    });
    const specs = (await kind.list?.(readerOn(lab, "ci"))) ?? [];
    expect(specs.filter((spec) => spec.version === version)).toHaveLength(2);
  });

  test("imported plugins are in sync", async () => {
    await using lab = await idleLab();
    const specs = await kind.list?.(readerOn(lab, "ci"));
    expect(specs).toHaveLength(3);
    expect(lab.asked()).toEqual(["listPlugins"]);
    const plan = await lab.plan(imported(kind, specs));
    expect([plan.changes, plan.inSync.length]).toEqual([[], 3]);
  });

  test("plugins are unknown to an account that may not see them, and fail for one that may not change them", async () => {
    const git = plugin({ name: "git", version: "5.7.0", restart: "safe" });
    await using blind = await idleLab({ as: { username: "jdoe", secret: "jdoe-secret" } });
    expect((await blind.plan(git)).unknown.map(({ problem }) => problem.code)).toEqual(["SP3004"]);
    await using reader = await idleLab({ as: { username: "auditor", secret: "auditor-secret" } });
    expect((await reader.apply(git)).outcomes).toMatchObject([{ result: "failed", problem: { code: "SP3004" } }]);
  });

  test("under wire: documented, plugins are still changed, and a restart is awaited by requesting the plugins", async () => {
    await using lab = await idleLab({ wire: "documented" });
    lab.sandbox.change(({ ci }) => {
      // More answers than one request has attempts, so that the server is seen to be down.
      ci.startupRequests = 5;
    });
    expect(results(await lab.apply(plugin({ name: "git", version: "5.7.0", restart: "safe" })))).toEqual(["applied"]);
    expect(new Set(lab.asked())).toEqual(new Set(["listPlugins", "getCrumb", "runScript", "safeRestart"]));
  });

  test.each(["absent", ">= 5.6", "latest", "5.*"])("%j is not a version", async (version) => {
    await using lab = await openLab();
    expect(await problemsOf(lab.plan(plugin({ name: "git", version })))).toMatchObject([{ code: "SP1002" }]);
  });
});
