import { describe, expect, test } from "vitest";
import { analysisServerImport } from "../../../src/reconcilers/analysis/analysis-server-import.ts";
import { type Lab, openLab, problemsOf } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";

const sourceUrl = "https://old.example.com:8080";
const brings = { roles: ["Release board"], groups: ["safety"] };

function serverImport(spec: Readonly<Record<string, unknown>> = {}): string {
  return document("AnalysisServerImport", {
    sourceUrl,
    admin: "migration",
    password: "${env:OLD_PASSWORD}",
    brings,
    ...spec,
  });
}

/** A lab with another server beside it that has the given names. */
async function openWithSource(roles: readonly string[], groups: readonly string[]): Promise<Lab> {
  const lab = await openLab({ env: { OLD_PASSWORD: "p4ss & wörd" } });
  lab.sandbox.change(({ analysis }) => {
    analysis.sources[sourceUrl] = {
      users: [],
      roles: roles.map((name) => ({ name, permissions: [], allowed_status_transitions: "" })),
      groups: groups.map((name) => ({ name, readonly: false, users: [] })),
    };
  });
  return lab;
}

describe("AnalysisServerImport", () => {
  test("budget: imports once, with one read per list and of the imports, one write and one read per list after it", async () => {
    await using lab = await openWithSource(["Release board", "Triage"], ["safety"]);
    const report = await lab.apply(serverImport());
    expect(report.plan.changes).toMatchObject([
      { action: "create", risks: ["irreversible", "widens-access", "narrows-access"] },
    ]);
    expect(report.outcomes.map(({ result }) => result)).toEqual(["applied"]);
    expect(lab.asked()).toEqual(["roles", "groups", "importStatus", "importServerConfiguration", "roles", "groups"]);
    expect(lab.sandbox.state().analysis.roles.map(({ name }) => name)).toEqual([
      "Projects root",
      "Triage",
      "Release board",
    ]);
    expect((await lab.plan(serverImport())).inSync).toEqual([`analysis/AnalysisServerImport/${sourceUrl}`]);
    expect(lab.asked()).toEqual(["roles", "groups"]);
  });

  test("a role that both servers have may do what the other one lets it do", async () => {
    await using lab = await openWithSource(["Triage", ...brings.roles], brings.groups);
    const before = lab.sandbox.state().analysis.roles.find(({ name }) => name === "Triage");
    await lab.apply(serverImport());
    expect(before?.permissions).not.toEqual([]);
    expect(lab.sandbox.state().analysis.roles).toContainEqual({
      ...before,
      permissions: [],
      allowed_status_transitions: "",
    });
  });

  test("shows and keeps the password only as a reference", async () => {
    await using lab = await openWithSource(brings.roles, brings.groups);
    const report = await lab.apply(serverImport());
    expect(report.plan.calls.map(({ args }) => args)).toEqual([
      { sourceURL: sourceUrl, sourceAdmin: "migration", sourcePassword: "${env:OLD_PASSWORD}" },
    ]);
    expect(JSON.stringify([report, lab.journal, lab.sandbox.requests(), lab.sandbox.state()])).not.toContain("p4ss");
  });

  test("an import that does not bring what was declared has failed", async () => {
    await using lab = await openWithSource([], []);
    expect((await lab.apply(serverImport())).outcomes).toMatchObject([
      { result: "failed", problem: { code: "SP4001" } },
    ]);
  });

  test("is not repeated on a server that has part of it: that needs a person", async () => {
    await using lab = await openWithSource(brings.roles, brings.groups);
    const plan = await lab.plan(serverImport({ brings: { roles: ["Release board", "Triage"], users: ["nobody"] } }));
    expect(plan.changes).toMatchObject([
      {
        action: "check",
        instruction: expect.stringContaining("only a part"),
        fields: [
          { path: ["brings", "roles"], live: ["Triage"], desired: ["Release board", "Triage"] },
          { path: ["brings", "users"], live: [], desired: ["nobody"] },
        ],
      },
    ]);
    expect(plan.calls).toEqual([]);
  });

  test("is unknown while an import has not finished, so that it is not started twice", async () => {
    await using lab = await openWithSource(brings.roles, brings.groups);
    lab.sandbox.change(({ analysis }) => {
      analysis.imports.push({ source: sourceUrl, status: "Importing, 40 %" });
    });
    const plan = await lab.plan(serverImport());
    expect(plan.unknown).toMatchObject([{ problem: { code: "SP3104", message: expect.stringContaining("40 %") } }]);
    expect(plan.calls).toEqual([]);
  });

  test("a missing password fails the import before anything is sent for it", async () => {
    await using lab = await openLab();
    expect((await lab.apply(serverImport())).outcomes).toMatchObject([
      { result: "failed", problem: { code: "SP1015" } },
    ]);
    expect(lab.asked()).not.toContain("importServerConfiguration");
  });

  test("cannot be undone: nothing happens when it leaves the manifests, and absent is an error", async () => {
    await using lab = await openLab();
    expect((await lab.plan({ now: "", base: serverImport() })).changes).toEqual([]);
    const absent = document("AnalysisServerImport", { sourceUrl, admin: "a", brings }, { state: "absent" });
    expect(await problemsOf(lab.plan(absent))).not.toEqual([]);
  });

  test("names at least one thing to import, and each only once", () => {
    const isFine = (one: unknown) =>
      analysisServerImport.spec.safeParse({ sourceUrl, admin: "a", brings: one }).success;
    expect([{}, { roles: [] }, { roles: ["a", "a"] }, { users: ["a"] }].map(isFine)).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });
});
