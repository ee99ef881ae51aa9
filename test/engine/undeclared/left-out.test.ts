import { describe, expect, test } from "vitest";
import { importObjects } from "../../../src/engine/import.ts";
import { listUndeclared } from "../../../src/engine/observe/undeclared.ts";
import { analysisUser } from "../../../src/reconcilers/analysis/analysis-user.ts";
import { serviceOf } from "../../clients/fixtures.ts";
import { type Lab, openDirectLab } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";
import { declared, place } from "./declared.ts";

const tags = "review/AccessRule/platform/core:refs/tags/*:createTag";

/** Gives the tags of platform/core one rule. The service accepts no range for it, but can have one in its configuration. */
function setTags({ sandbox }: Lab, rule: { readonly group: string; readonly min: number; readonly max: number }) {
  sandbox.change(({ review }) => {
    const { access = {} } = review.projects["platform/core"] ?? {};
    access["refs/tags/*"] = { createTag: { exclusive: false, rules: [{ action: "ALLOW", force: false, ...rule }] } };
  });
}

describe("what a list leaves out", () => {
  const unreadable = { code: "SP3004", message: "The account may not read it." } as const;
  const unstated = { code: "SP1020", message: "No manifest can declare it." } as const;
  const kind: typeof analysisUser = {
    ...analysisUser,
    list: async (_read, _now, leaveOut) => {
      for (const key of ["ours", "b", "ci-1", "team:*"]) leaveOut?.(key, unreadable);
      for (const key of ["odd", "ci-odd"]) leaveOut?.(key, unstated);
      return [{ name: "a" }];
    },
  };
  const listing = {
    kinds: new Map([[kind.kind, kind]]),
    services: [serviceOf("analysis", { name: "one" })],
    desired: [declared],
    readers: () => ({}),
    now: new Date(0),
  };
  const listedWith = async (exclusive: boolean, unmanaged: boolean) => {
    const rule = { kind: "AnalysisUser", except: ["ci-*"], place };
    const anything = { selected: () => true, reaches: () => true };
    const found = await listUndeclared({ ...listing, ...anything, exclusive: exclusive ? [rule] : [], unmanaged });
    const addresses = (all: readonly { readonly address: string }[]) => all.map(({ address }) => address);
    return [addresses(found.unwanted), found.unmanaged, addresses(found.unlisted)].map((all) =>
      all.map((address) => address.replace("one/AnalysisUser/", "")).join(" "),
    );
  };

  test("is unknown, never absent, unless it is declared or an exception; all else is unwanted", async () => {
    expect(await listedWith(true, false)).toEqual(["a", "", "b team:* odd"]);
  });

  test("is unknown or, if no manifest can declare it, unmanaged", async () => {
    expect(await listedWith(false, true)).toEqual(["", "a ci-odd odd", "b ci-1 team:*"]);
    expect(await listedWith(true, true)).toEqual(["a", "ci-odd", "b ci-1 team:* odd"]);
  });

  test("is named by an import, unless it is declared", async () => {
    const [service = serviceOf("analysis")] = listing.services;
    const { manifests, problems } = await importObjects({
      ...listing,
      service,
      only: [],
      folder: ".",
      out: "manifests",
    });
    expect(manifests).toMatchObject([{ resources: 1 }]);
    expect(problems.map(({ code, address }) => `${code} ${address?.split("/").at(-1)}`)).toEqual(
      ["b", "ci-1", "team:*"].map((key) => `SP3004 ${key}`).concat("SP1020 odd", "SP1020 ci-odd"),
    );
  });
});

test("an exclusive kind deletes what it lists, and rules that no manifest can declare are unknown", async () => {
  await using lab = await openDirectLab({ workspace: "exclusive: [{ kind: AccessRule }]\n" });
  setTags(lab, { group: "global:Registered-Users", min: 1, max: 2 });
  const kept = { project: "platform/ui", ref: "refs/heads/experimental/*", permission: "push" };
  const { changes, unknown } = await lab.plan(
    document("AccessRule", { ...kept, rules: [{ group: "Administrators" }] }),
  );
  expect(unknown).toMatchObject([{ address: tags, problem: { code: "SP1020" } }]);
  expect(changes.map(({ address, action }) => [address, action])).toContainEqual([
    "review/AccessRule/platform/core:refs/heads/main:push",
    "delete",
  ]);
});

test("a saved plan does not take what is left out since for deleted", async () => {
  await using lab = await openDirectLab();
  const now = document("AnalysisUser", { name: "mlind" });
  const except = `except: ["All-Projects:*", "firmware/*", "platform/ui:*", "*:push"]`;
  const given = { now, workspace: `exclusive: [{ kind: AccessRule, ${except} }]\n` };
  const saved = await lab.save(given);
  expect(saved.changes).toMatchObject([{ address: tags, action: "delete" }]);
  setTags(lab, { group: "global:Registered-Users", min: 1, max: 2 });
  const report = await lab.applySaved(saved, given);
  expect(report).toMatchObject({ outcomes: [{ address: tags, result: "skipped", problem: { code: "SP1020" } }] });
});
