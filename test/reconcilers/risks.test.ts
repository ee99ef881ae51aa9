import { expect, test } from "vitest";
import type { Risk, Writable } from "../../src/core/change.ts";
import { asJson, differences } from "../../src/planner/decide.ts";
import { kinds } from "../../src/reconcilers/registry.ts";

const token = { description: "deploy", deliver: { file: "deploy" } };
const role = { name: "lead", manageUsers: true, allowedStatusTransitions: [{ from: "Any", to: "Fix" }] };
const module = { project: "core", name: "net" };
const actions = { org: "meridian", repo: "core", enabled: true };
const rule = (...rules: readonly object[]) => ({ project: "core", ref: "refs/heads/*", permission: "push", rules });
const may = { group: "dev", action: "ALLOW", force: false };
const mayNot = { group: "dev", action: "BLOCK", force: false };

type Row = readonly [kind: string, live: object | undefined, desired: object | undefined, ...risks: readonly Risk[]];

const rows: readonly Row[] = [
  ["PersonalToken", undefined, token, "widens-access"],
  ["PersonalToken", token, undefined, "irreversible", "narrows-access"],
  ["PersonalToken", token, { ...token, validFor: 6 }, "secret-rotates"],
  ["PersonalToken", token, { ...token, description: "release" }],
  ["PersonalToken", token, { ...token, description: "release", validFor: 6 }, "secret-rotates"],
  ["AccessToken", undefined, token, "widens-access"],
  ["AccessToken", token, undefined, "irreversible", "narrows-access"],
  ["AccessToken", token, { ...token, rotateBefore: "7d" }, "secret-rotates"],
  ["AccessToken", token, { ...token, scope: "all" }, "secret-rotates", "widens-access", "narrows-access"],
  ["AccessToken", token, { ...token, username: "bot" }, "secret-rotates", "widens-access", "narrows-access"],
  ["AnalysisUser", undefined, { name: "ada" }, "widens-access"],
  ["AnalysisUser", { name: "ada" }, undefined, "irreversible", "narrows-access"],
  ["AnalysisRoleAssignment", undefined, { role: "lead" }, "widens-access"],
  ["AnalysisRoleAssignment", { role: "lead" }, undefined, "narrows-access"],
  ["AnalysisRole", undefined, role, "widens-access"],
  ["AnalysisRole", undefined, { name: "lead", manageUsers: false }],
  ["AnalysisRole", role, { ...role, manageUsers: false }, "narrows-access"],
  ["AnalysisRole", role, { ...role, allowedStatusTransitions: [] }, "narrows-access"],
  ["AnalysisRole", role, { ...role, manageUsers: false, assignRole: true }, "widens-access", "narrows-access"],
  ["AnalysisRole", role, undefined, "irreversible", "narrows-access"],
  ["AnalysisGroup", undefined, { name: "leads", users: ["ada"] }, "widens-access"],
  ["AnalysisGroup", undefined, { name: "leads", users: [] }],
  ["AnalysisGroup", { users: ["ada"] }, { users: ["kim"] }, "widens-access", "narrows-access"],
  ["AnalysisGroup", { users: ["ada"] }, undefined, "irreversible", "narrows-access"],
  ["AnalysisModule", undefined, module],
  ["AnalysisModule", undefined, { ...module, allowAll: false }, "narrows-access"],
  ["AnalysisModule", { ...module, allowAll: false }, { ...module, allowAll: true }, "widens-access"],
  ["AnalysisModule", { ...module, allowAll: false }, module],
  ["AnalysisModule", { ...module, allowAll: true }, undefined, "irreversible"],
  ["AnalysisModule", { ...module, allowAll: false }, undefined, "irreversible", "widens-access"],
  ["AnalysisView", { name: "all" }, undefined, "irreversible"],
  ["AnalysisView", undefined, { name: "all" }],
  ["AnalysisProject", { name: "core" }, undefined, "irreversible"],
  ["AnalysisProject", undefined, { name: "core" }],
  ["AnalysisBuildRetention", {}, {}, "irreversible"],
  ["AnalysisServerImport", undefined, {}, "irreversible", "widens-access", "narrows-access"],
  ["Cleanup", {}, {}, "irreversible"],
  ["BuildRetention", {}, {}, "irreversible"],
  ["TrashCan", {}, {}, "irreversible"],
  ["DeployedFile", undefined, {}],
  ["DeployedFile", {}, {}, "irreversible"],
  ["DeployedFile", {}, undefined, "irreversible"],
  ["ItemProperties", {}, {}],
  ["ActionsPermission", actions, { ...actions, enabled: false }, "narrows-access"],
  ["ActionsPermission", { ...actions, allowedActions: "selected" }, actions, "widens-access"],
  ["ActionsPermission", actions, { ...actions, shaPinningRequired: true }, "narrows-access"],
  ["AccessRule", undefined, rule(may), "widens-access"],
  ["AccessRule", undefined, rule(mayNot), "narrows-access"],
  ["AccessRule", rule(may), undefined, "narrows-access"],
  ["AccessRule", rule(mayNot), undefined, "widens-access"],
  ["AccessRule", rule(may), rule({ ...may, force: true }), "widens-access", "narrows-access"],
];

const cases = rows.map(([kind, live, desired, ...risks]) => [kind, live, desired, risks] as const);

test.each(cases)("%s from %o to %o has the risks %o", (kind, live, desired, risks) => {
  expect(kinds.get(kind)?.risk?.(changeOf(live, desired))).toEqual(risks);
});

test("a lock's risks are tested with its rules, and those of every other kind here", () => {
  const risky = [...kinds.values()].flatMap(({ kind, risk }) => (risk === undefined ? [] : [kind]));
  expect(new Set([...rows.map(([kind]) => kind), "BranchLock"])).toEqual(new Set(risky));
});

function changeOf(live: object | undefined, desired: object | undefined): Writable {
  const common = { address: "a/B/c", key: "c", verdict: "pending", marker: { local: {} } } as const;
  if (desired === undefined) return { ...common, action: "delete", declared: live, live, kept: [] };
  if (live === undefined) return { ...common, action: "create", desired };
  const fields = differences(asJson(desired), asJson(live), undefined);
  return { ...common, action: "update", desired, live, fields, kept: [] };
}
