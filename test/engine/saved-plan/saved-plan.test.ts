import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Plan } from "../../../src/core/run/plan.ts";
import type { Locks } from "../../../src/engine/locks/locks.ts";
import { type Lab, openDirectLab, signOut } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";
import { address, org, problems, results, workflows, writes } from "./planned.ts";

const dates = document("WikiPage", { id: "48213", title: "Dates" });

/** Someone else restricts the actions of a repository. */
function touch(lab: Lab, repo: string): void {
  lab.sandbox.change(({ hosting }) => {
    const found = hosting.repositories.find(({ name }) => name === repo);
    if (found) found.actions.sha_pinning_required = true;
  });
}

describe("a saved plan", () => {
  test.each([
    ["once", "no other run has written meanwhile", "one", 2],
    ["twice", "another run has written meanwhile", "two", 3],
  ])("is compared with the services %s before it is applied if %s", async (_times, _if, last, reads) => {
    const marks = (run: string) => new Map([["hosting", run]]);
    const take: Locks["take"] = async () => ({ before: marks(last), release: async () => undefined });
    await using lab = await openDirectLab({ locks: { lastRuns: () => marks("one"), take } });
    const saved = await lab.save(workflows("website"));
    lab.asked();
    expect(Object.values(results(await lab.applySaved(saved, workflows("website"))))).toEqual(["applied"]);
    // The last of these reads verifies the result.
    expect(lab.asked().filter((operation) => operation === "getActionsPermissions")).toHaveLength(reads);
  });

  test("makes its calls, and reads again only what it changes", async () => {
    await using lab = await openDirectLab();
    const forPerson = document("LatestRelease", { repo: `${org}/website`, tag: "v0" });
    const manifests = workflows("website") + workflows("handbook", true) + dates + forPerson;
    const saved = await lab.save(manifests);
    expect(Object.keys(saved.fingerprints)).toHaveLength(3);
    lab.asked();
    expect(Object.values(results(await lab.applySaved(saved, manifests)))).toEqual(["applied", "applied"]);
    expect(lab.asked()).toEqual([
      "getActionsPermissions",
      "getPage",
      "setActionsPermissions",
      "updatePage",
      "getActionsPermissions",
      "getPage",
    ]);
  });

  test("leaves what has moved, and goes on with the rest", async () => {
    await using lab = await openDirectLab();
    const manifests = workflows("website") + workflows("handbook") + dates;
    const saved = await lab.save(manifests);
    touch(lab, "website");
    lab.asked();
    expect(results(await lab.applySaved(saved, manifests))).toEqual({
      [address("handbook")]: "applied",
      [address("website")]: "stale",
      "wiki/WikiPage/48213": "applied",
    });
    expect(writes(lab)).toEqual(["setActionsPermissions", "updatePage"]);
  });

  test("leaves what can no longer be read, and does not claim that it has changed", async () => {
    await using lab = await openDirectLab();
    const pruned = document("AnalysisRole", { name: "Triage" });
    const given = { now: workflows("website") + pruned, workspace: "exclusive: [{ kind: AnalysisRole }]\n" };
    const saved = await lab.save(given);
    signOut(lab);
    const report = await lab.applySaved(saved, given);
    if ("is" in report) throw new Error(problems(report).join("\n"));
    expect(report.outcomes).toHaveLength(2);
    for (const { result, problem } of report.outcomes) expect([result, problem?.code]).toEqual(["skipped", "SP3003"]);
  });

  test("has nothing left to do once everything is as it says, whoever did it, and not before", async () => {
    await using lab = await openDirectLab();
    const user = document("AnalysisUser", { name: "newcomer" });
    const manifests = user + workflows("website") + document("LatestRelease", { repo: `${org}/website`, tag: "v0" });
    const saved = await lab.save(manifests);
    await lab.apply(user);
    expect(results(await lab.applySaved(saved, manifests))).toEqual({ [address("website")]: "applied" });
    const again = await lab.resume(JSON.stringify(saved), manifests);
    if (again.is === "wrong") throw new Error(again.problems.map(({ message }) => message).join());
    expect(again.withheld?.size).toBe(0);
    expect(again.plan).toMatchObject({ changes: [{ action: "check" }], calls: [] });
    expect(again.plan.inSync).toEqual(["analysis/AnalysisUser/newcomer", address("website")]);
    touch(lab, "website");
    lab.sandbox.change(({ hosting }) => {
      for (const { actions } of hosting.repositories) actions.enabled = true;
    });
    const moved = await lab.resume(JSON.stringify(saved), manifests);
    expect(moved).toMatchObject({ plan: { changes: [{}, {}] }, withheld: expect.objectContaining({ size: 1 }) });
  });

  test("makes the rest if an apply of it was cut off: what is already as planned counts as done", async () => {
    await using lab = await openDirectLab();
    const user = document("AnalysisUser", { name: "newcomer" });
    const groups = ["one", "two", "three"].map((name) => document("AnalysisGroup", { name, users: ["newcomer"] }));
    const manifests = user + groups.join("") + workflows("website");
    const saved = await lab.save(manifests);
    await lab.another().apply(user + groups.slice(0, 2).join(""));
    lab.asked();
    const resumed = await lab.resume(JSON.stringify(saved), manifests);
    expect(resumed).toMatchObject({ plan: { changes: [{}, {}] }, withheld: expect.objectContaining({ size: 0 }) });
    expect(results(await lab.applySaved(saved, manifests))).toEqual({
      "analysis/AnalysisGroup/three": "applied",
      [address("website")]: "applied",
    });
    expect(writes(lab)).toEqual(["createGroup", "setActionsPermissions"]);
  });

  test("leaves an update beside what is done, says how to go on, and makes what needs what is done", async () => {
    await using lab = await openDirectLab();
    const groups = ["one", "two"].map((name) => document("AnalysisGroup", { name, users: ["jdoe"] }));
    const needing = document("AnalysisRoleAssignment", { role: "Triage", account: "one", group: true });
    await lab.apply(document("AnalysisGroup", { name: "two" }));
    const saved = await lab.save(groups.join("") + needing);
    await lab.another().apply(groups.slice(0, 1).join(""));
    const again = await lab.applySaved(saved, groups.join("") + needing);
    if ("is" in again) throw new Error(problems(again).join("\n"));
    const hint = "Already made, as by an apply that was cut off: 1 of 3 changes. Plan again for the rest.";
    expect(again.outcomes).toMatchObject([
      { address: "analysis/AnalysisGroup/two", result: "stale", problem: { code: "SP4003", hint } },
      { address: "analysis/AnalysisRoleAssignment/Triage::group:one", result: "applied" },
    ]);
    expect(Object.values(results(await lab.another().apply(groups.join(""))))).toEqual(["applied"]);
  });

  test("is not refused because a person has done what it leaves to one", async () => {
    await using lab = await openDirectLab();
    const plugin = document("Plugin", { name: "git", version: "5.7.0" });
    const property = document("SystemProperty", { name: "user.timezone", value: "UTC" });
    const saved = await lab.save(plugin + property + dates);
    expect(saved.changes.map(({ action }) => action)).toEqual(["check", "update", "update"]);
    lab.sandbox.change(({ ci }) => {
      const git = ci.plugins.find(({ shortName }) => shortName === "git");
      if (git) git.version = "5.7.0";
    });
    expect(results(await lab.applySaved(saved, plugin + property + dates))).toEqual({
      "ci/SystemProperty/user.timezone": "stale",
      "wiki/WikiPage/48213": "applied",
    });
  });

  test("leaves what depends on something that has moved", async () => {
    await using lab = await openDirectLab();
    const group = (users: readonly string[]) => document("AnalysisGroup", { name: "newcomers", users });
    const role = document("AnalysisRoleAssignment", { role: "Triage", account: "newcomers", group: true });
    await lab.apply(group([]));
    const saved = await lab.save(group(["jdoe"]) + role + dates);
    await lab.another().apply(group(["mlind"]));
    expect(results(await lab.applySaved(saved, group(["jdoe"]) + role + dates))).toEqual({
      "analysis/AnalysisGroup/newcomers": "stale",
      "analysis/AnalysisRoleAssignment/Triage::group:newcomers": "skipped",
      "wiki/WikiPage/48213": "applied",
    });
  });

  test("goes on with what depends on something that needs a person, unless that has moved", async () => {
    await using lab = await openDirectLab({ wire: "documented" });
    const role = document("AnalysisRole", { name: "Triage", deleteBuild: true });
    const assigned = document("AnalysisRoleAssignment", { role: "Triage", account: "jdoe" });
    const saved = await lab.save(role + assigned);
    expect(saved.changes).toMatchObject([{ action: "check" }, { dependsOn: ["analysis/AnalysisRole/Triage"] }]);
    const apply = async () => Object.values(results(await lab.applySaved(saved, role + assigned)));
    const allow = (permission: "change_issue_status" | "manage_roles") =>
      lab.sandbox.change(({ analysis }) => {
        for (const one of analysis.roles) if (one.name === "Triage") one.permissions = [permission];
      });
    allow("manage_roles");
    expect(await apply()).toEqual(["skipped"]);
    allow("change_issue_status");
    expect(await apply()).toEqual(["applied"]);
  });

  test("leaves what depends on something in sync whose neighbour has moved", async () => {
    await using lab = await openDirectLab();
    const role = (name: string, more = {}) => document("AnalysisRole", { name, ...more });
    const assigned = document("AnalysisRoleAssignment", { role: "Triage", account: "jdoe" });
    const now = role("Triage") + role("Projects root", { deleteBuild: true }) + assigned + dates;
    const saved = await lab.save(now);
    lab.sandbox.change(({ analysis }) => {
      for (const one of analysis.roles) if (one.name === "Projects root") one.permissions = [];
    });
    expect(results(await lab.applySaved(saved, now))).toEqual({
      "analysis/AnalysisRole/Projects root": "stale",
      "analysis/AnalysisRoleAssignment/Triage::jdoe": "skipped",
      "wiki/WikiPage/48213": "applied",
    });
  });

  test("works with live lists, joint calls, deliveries, a base, a selection, deletes of undeclared objects, and triggers", async () => {
    const workspace =
      "exclusive: [{ kind: AnalysisRole }]\n" +
      `onApplied: [{ service: hosting, workflow: { owner: ${org}, repo: website, file: publish.yml, ref: main, inputs: { target: "\${run.id}" } } }]\n`;
    await using lab = await openDirectLab({ workspace });
    const repeated = `---\n${JSON.stringify({
      kind: "ActionsPermission",
      forEach: { from: { operation: "listOrganizationRepositories", org, match: ["hand*"] } },
      spec: { org, repo: "$" + "{each.name}", enabled: false },
    })}\n`;
    const rule = (permission: string) =>
      document("AccessRule", {
        project: "platform/core",
        ref: "refs/heads/*",
        permission,
        rules: [{ group: "Administrators" }],
      });
    const token = document("AccessToken", {
      description: "deploy",
      scope: "applied-permissions/user",
      deliver: { file: "deploy" },
    });
    const role = document("AnalysisRole", { name: "lead" });
    const now = repeated + rule("push") + rule("submit") + token + role;
    const manifests = {
      now,
      base: now + document("AnalysisUser", { name: "jdoe" }),
      select: { service: ["hosting", "review", "artifacts", "analysis"] },
      consent: { maxDeletePercent: 100 },
    };
    const saved = await lab.save(manifests);
    expect(saved.calls.some(({ parts }) => parts !== undefined)).toBe(true);
    expect(saved.calls.some(({ deliver }) => deliver !== undefined)).toBe(true);
    expect(saved.changes.filter(({ action }) => action === "delete").map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(["AnalysisRole", "AnalysisUser"]),
    );
    expect(saved.consented).toEqual({ maxDeletePercent: 100 });
    const report = await lab.applySaved(saved, manifests);
    expect(new Set(Object.values(results(report)))).toEqual(new Set(["applied"]));
    expect(report).toMatchObject({ triggers: [{ result: "done" }] });
    // Running it a second time has nothing left to do, and starts nothing again.
    lab.asked();
    expect(await lab.applySaved(saved, manifests)).toMatchObject({ calls: [], outcomes: [] });
    expect(writes(lab)).toEqual([]);
  });

  test("is the same wherever the workspace is, and contains no path of this machine", async () => {
    const deploy = document("DeployedFile", { repo: "libs", path: "notes.txt", source: "notes.txt" });
    const plans = async (lab: Lab) => {
      const folder = join(lab.folder, "manifests");
      mkdirSync(folder);
      writeFileSync(join(folder, "notes.txt"), "notes");
      const manifests = { now: deploy, folder };
      const before = await lab.save(manifests);
      expect(JSON.stringify(before)).not.toContain(lab.folder);
      expect(Object.values(results(await lab.applySaved(before, manifests)))).toEqual(["applied"]);
      return [before, await lab.save(manifests)];
    };
    await using here = await openDirectLab();
    await using there = await openDirectLab();
    const [ours, theirs] = [await plans(here), await plans(there)];
    const seen = ({ saved, fingerprints, calls }: Plan) => [saved?.manifests.resources, fingerprints, calls];
    expect(theirs.map(seen)).toEqual(ours.map(seen));
  });
});
