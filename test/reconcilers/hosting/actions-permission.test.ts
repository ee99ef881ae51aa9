import { describe, expect, test } from "vitest";
import { ActionsPermissions } from "../../../src/clients/hosting/records.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import type { Metadata } from "../../../src/core/resource.ts";
import { actionsPermission } from "../../../src/reconcilers/hosting/actions-permission.ts";
import { type Lab, openLab, problemsOf } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";
import { imported, readerOn } from "../../support/read-lists.ts";

function permission(spec: Readonly<Record<string, unknown>>, metadata: Partial<Metadata> = {}): string {
  return document("ActionsPermission", { org: "meridian-kites", repo: "telemetry", enabled: true, ...spec }, metadata);
}

function actionsOf({ sandbox }: Lab, repo = "telemetry") {
  return sandbox.state().hosting.repositories.find(({ name }) => name === repo)?.actions;
}

function results(report: Awaited<ReturnType<Lab["apply"]>>) {
  return report.outcomes.map(({ result }) => result);
}

describe("ActionsPermission", () => {
  test("switches workflows off: one read, one write, one read to verify", async () => {
    await using lab = await openLab();
    const report = await lab.apply(permission({ enabled: false }));
    expect(report.outcomes).toEqual([
      { address: "hosting/ActionsPermission/meridian-kites/telemetry", result: "applied" },
    ]);
    expect(lab.asked()).toEqual(["getActionsPermissions", "setActionsPermissions", "getActionsPermissions"]);
    expect(actionsOf(lab)?.enabled).toBe(false);
    expect(report.plan.changes).toMatchObject([{ action: "update", risks: ["narrows-access"] }]);
  });

  test("budget: one read and one write per repository, and no write if nothing differs", async () => {
    await using lab = await openLab();
    const disabled = ["website", "telemetry", "handbook", "firmware-mirror"].map((repo) =>
      permission({ repo, enabled: false }),
    );
    await lab.apply(disabled.join(""));
    expect(lab.asked().toSorted()).toEqual([
      ...Array(4 + 3).fill("getActionsPermissions"),
      ...Array(3).fill("setActionsPermissions"),
    ]);
    expect((await lab.plan(disabled.join(""))).changes).toEqual([]);
    expect(lab.asked()).toEqual(Array(4).fill("getActionsPermissions"));
  });

  test("two documents that spell a repository's name differently are an error, since the service treats them as one", async () => {
    await using lab = await openLab();
    const both = permission({ enabled: false }) + permission({ repo: "Telemetry", enabled: true });
    expect(await problemsOf(lab.plan(both))).toMatchObject([
      { code: "SP1016", message: expect.stringContaining("both manage the workflow permissions of") },
    ]);
    expect(lab.asked()).toEqual([]);
  });

  test("sends back the live values of fields that the manifest does not state", async () => {
    await using lab = await openLab();
    expect(results(await lab.apply(permission({ shaPinningRequired: true })))).toEqual(["applied"]);
    expect(actionsOf(lab)).toEqual({ enabled: true, allowed_actions: "local_only", sha_pinning_required: true });
    await lab.apply(permission({ allowedActions: "selected" }));
    expect(actionsOf(lab)).toEqual({ enabled: true, allowed_actions: "selected", sha_pinning_required: true });
  });

  test("leaves an ignored field as it is, and counts it", async () => {
    await using lab = await openLab();
    const manifest = permission({ allowedActions: "all", shaPinningRequired: true }, { ignore: ["allowedActions"] });
    const report = await lab.apply(manifest);
    expect(report.plan.ignored.map(({ field }) => field)).toEqual(["allowedActions"]);
    expect(actionsOf(lab)).toEqual({ enabled: true, allowed_actions: "local_only", sha_pinning_required: true });
  });

  test("allowed actions matter only if workflows are enabled", async () => {
    await using lab = await openLab();
    const manifest = permission({ enabled: false, allowedActions: "selected" });
    expect(results(await lab.apply(manifest))).toEqual(["applied"]);
    expect((await lab.plan(manifest)).changes).toEqual([]);
    const back = permission({ enabled: true, allowedActions: "selected" });
    expect(results(await lab.apply(back))).toEqual(["applied"]);
    expect(actionsOf(lab)?.allowed_actions).toBe("selected");
  });

  test("says that disabling loses a choice of actions, and what enabling alone allows", async () => {
    await using lab = await openLab();
    const noted = async (spec: Readonly<Record<string, unknown>>) =>
      (await lab.apply(permission(spec))).plan.changes.map(({ note, risks }) => ({ note, risks }));
    expect(await noted({ enabled: false })).toEqual([
      { note: "disabling loses allowedActions (local_only): state it to get it back", risks: ["narrows-access"] },
    ]);
    expect(await noted({ enabled: true })).toEqual([
      { note: "enabling allows all actions: state allowedActions to limit them", risks: ["widens-access"] },
    ]);
    expect(actionsOf(lab)?.allowed_actions).toBe("all");
  });

  test("reports which side changed: the manifest, the service or both", async () => {
    await using lab = await openLab();
    const verdict = async (now: string, base: string) =>
      (
        await lab.plan({ now: permission({ allowedActions: now }), base: permission({ allowedActions: base }) })
      ).changes.map((change) => change.verdict);
    expect(await verdict("all", "local_only")).toEqual(["pending"]);
    expect(await verdict("all", "all")).toEqual(["drift"]);
    expect(await verdict("all", "selected")).toEqual(["conflict"]);
  });

  test("does not reset an unknown setting: the change needs a person", () => {
    const live = { org: "o", repo: "r", enabled: true };
    const marker = ActionsPermissions.parse({ enabled: true, fork_pull_requests: "approved" });
    const change = { address: "a", key: "o/r", verdict: "pending", marker, fields: [], kept: [], live } as const;
    const needs = (marked: typeof marker) =>
      actionsPermission.needsPerson?.({
        ...change,
        marker: marked,
        action: "update",
        desired: { ...live, enabled: false },
      });
    expect(needs(marker)).toContain("fork_pull_requests");
    expect(needs({ enabled: true })).toBeUndefined();
  });

  test("cannot be absent, and is forgotten when it leaves the manifests", async () => {
    await using lab = await openLab();
    expect(await problemsOf(lab.plan(permission({}, { state: "absent" })))).toMatchObject([{ code: "SP1002" }]);
    const plan = await lab.plan({ now: "", base: permission({ enabled: false }) });
    expect(plan.changes).toEqual([]);
    expect(lab.asked()).toEqual([]);
  });

  test.each([
    ["nowhere", "SP3005", "does not exist"],
    ["handbook", "SP3005", "is hidden from the account"],
    ["website", "SP3004", "the account may not administer"],
  ])("a repository that %s is unknown (%s): it %s", async (repo, code) => {
    await using lab = await openLab({ as: { username: "jdoe", secret: "jdoe-secret" } });
    const plan = await lab.plan(permission({ repo }));
    expect(plan.unknown.map(({ problem }) => problem.code)).toEqual([code]);
    expect(plan.calls).toEqual([]);
  });

  test("at the service's rate limit everything is unknown, and nothing is requested twice", async () => {
    await using lab = await openLab();
    lab.sandbox.change(({ hosting }) => {
      hosting.rateLimit.used = hosting.rateLimit.limit;
    });
    const plan = await lab.plan(permission({ enabled: false }));
    expect(plan.unknown.map(({ problem }) => problem.code)).toEqual(["SP3008"]);
    expect(lab.asked()).toHaveLength(1);
  });

  test("an account without write access gets a failed outcome that names the missing permission", async () => {
    await using lab = await openLab({ as: { username: "auditor", secret: "auditor-secret" } });
    const report = await lab.apply(permission({ enabled: false }));
    expect(report.outcomes).toMatchObject([{ result: "failed", problem: { code: "SP3004" } }]);
  });

  test("an import is in sync, with one read per 100 repositories and one for each", async () => {
    await using lab = await openLab();
    const specs = await actionsPermission.list?.(readerOn(lab, "hosting"));
    expect(lab.asked()).toEqual(["listUserRepositories", ...Array(4).fill("getActionsPermissions")]);
    const plan = await lab.plan(imported(actionsPermission, specs));
    expect([plan.changes, plan.inSync.length]).toEqual([[], 4]);
  });

  test("leaves archived repositories out of a list, because nothing in them can be changed", async () => {
    await using lab = await openLab();
    const read = readerOn(lab, "hosting");
    const listUserRepositories = async () =>
      (await read.listUserRepositories({})).map((one) => ({ ...one, archived: one.name === "telemetry" }));
    const repos = [
      (await actionsPermission.list?.({ ...read, listUserRepositories }))?.map(({ repo }) => repo),
      await actionsPermission.names?.({ ...read, listUserRepositories }),
    ];
    expect(repos).toEqual([
      ["firmware-mirror", "handbook", "website"],
      ["firmware-mirror", "handbook", "website"].map((repo) => ({ org: "meridian-kites", repo })),
    ]);
  });

  test("a repository that refuses the token is named and left out; a list that cannot name it fails", async () => {
    await using lab = await openLab();
    const read = readerOn(lab, "hosting");
    const refusal = new ProblemError({ code: "SP3004", message: "Resource not accessible by personal access token" });
    const getActionsPermissions: typeof read.getActionsPermissions = (args) =>
      args.repo === "website" ? Promise.reject(refusal) : read.getActionsPermissions(args);
    const reader = { ...read, getActionsPermissions };
    const leftOut: unknown[] = [];
    const listed = await actionsPermission.list?.(reader, new Date(), (key, { code }) => leftOut.push([key, code]));
    expect(listed?.map(({ repo }) => repo)).toEqual(["firmware-mirror", "handbook", "telemetry"]);
    expect(leftOut).toEqual([["meridian-kites/website", "SP3004"]]);
    await expect(actionsPermission.list?.(reader)).rejects.toEqual(refusal);
  });

  test("imports only repositories that the account administers", async () => {
    await using lab = await openLab();
    const auditor = { username: "auditor", secret: "auditor-secret" };
    expect(await actionsPermission.list?.(readerOn(lab, "hosting", auditor))).toEqual([]);
    expect(lab.asked()).toEqual(["listUserRepositories"]);
  });

  test("accepts names with special characters", async () => {
    await using lab = await openLab();
    const repo = `ü,\\"';a+b c%2F?#`;
    lab.sandbox.change(({ hosting }) => {
      for (const repository of hosting.repositories) if (repository.name === "website") repository.name = repo;
    });
    expect(results(await lab.apply(permission({ repo, enabled: false })))).toEqual(["applied"]);
    expect(actionsOf(lab, repo)?.enabled).toBe(false);
  });
});
