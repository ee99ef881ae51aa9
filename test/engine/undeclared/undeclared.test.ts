import { describe, expect, test } from "vitest";
import { importObjects } from "../../../src/engine/import.ts";
import { listUndeclared } from "../../../src/engine/observe/undeclared.ts";
import { analysisUser } from "../../../src/reconcilers/analysis/analysis-user.ts";
import { soughtInVain } from "../../../src/road/declare.ts";
import { serviceOf } from "../../clients/fixtures.ts";
import { openDirectLab, problemsOf } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";
import { declared, place } from "./declared.ts";

const user = (name: string) => document("AnalysisUser", { name });
const onlyDeclared = (rule: string) => ({ workspace: `exclusive: [{ kind: AnalysisUser, ${rule} }]\n` });

function names({ sandbox }: Awaited<ReturnType<typeof openDirectLab>>) {
  return sandbox.state().analysis.users.map(({ name }) => name);
}

test("an address that only an undeclared object can have is a mistake once all of them are known, and not before", () => {
  const sought = ["analysis/AnalysisUser/nobody"];
  const declarations = { kinds: new Map(), desired: [], base: undefined, selected: () => true, now: new Date(0) };
  const looked = { declarations, unlisted: [], part: undefined };
  expect(soughtInVain({ sought }, looked)).toMatchObject([{ code: "SP1018" }]);
  expect(soughtInVain({ sought: [] }, looked)).toEqual([]);
  const problem = { code: "SP3005", message: "Not answered." } as const;
  const unlisted = [{ address: "analysis/AnalysisUser/*", service: "analysis", problem }];
  expect(soughtInVain({ sought }, { ...looked, unlisted })).toEqual([]);
});

describe("a kind that is exclusive", () => {
  test("deletes what no manifest declares, except for exceptions, and says why", async () => {
    await using lab = await openDirectLab(onlyDeclared("except: [admin, ci-*]"));
    lab.sandbox.change(({ analysis }) => analysis.users.push({ name: "ci-1", readonly: false }));
    const kept = names(lab).filter((name) => name !== "mlind");
    const manifests = kept.filter((name) => !["admin", "ci-1"].includes(name)).map(user);
    const report = await lab.apply(manifests.join(""));
    expect(report.plan.changes).toMatchObject([
      {
        address: "analysis/AnalysisUser/mlind",
        action: "delete",
        verdict: "drift",
        note: "is not declared, and AnalysisUser is exclusive",
      },
    ]);
    expect(names(lab)).toEqual(kept);
    expect((await lab.plan(manifests.join(""))).changes).toEqual([]);
  });

  test("is undone one object at a time, as drift offers it", async () => {
    await using lab = await openDirectLab(onlyDeclared("except: [admin]"));
    const given = (...only: string[]) => ({ now: user("auditor"), select: { only } });
    const report = await lab.apply(given("analysis/AnalysisUser/jdoe"));
    expect(report.plan.changes).toMatchObject([{ address: "analysis/AnalysisUser/jdoe", action: "delete" }]);
    expect(names(lab)).toEqual(["admin", "auditor", "mlind"]);
    const { changes } = await lab.plan(given("AnalysisUser m*", "analysis/AnalysisUser/auditor"));
    expect(changes).toMatchObject([{ key: "mlind", action: "delete" }]);
    const none = (address: string) => [
      { code: "SP1018", message: expect.stringMatching(`^${address} matches nothing`) },
    ];
    for (const address of ["analysis/AnalysisUser/jdoe", "analysis/AnalysisUser/admin", "analysis/AnalysisRole/none"])
      expect(await problemsOf(lab.plan(given(address)))).toMatchObject(none(address));
    const mlind = "analysis/AnalysisUser/mlind";
    expect(await problemsOf(lab.adopt(given(mlind)))).toMatchObject(none(mlind));
  });

  test("deletes an object that is listed twice once, and an import declares it once", async () => {
    await using lab = await openDirectLab(onlyDeclared("except: [admin]"));
    lab.sandbox.change(({ analysis }) => {
      analysis.users = ["admin", "twin", "twin"].map((name) => ({ name, readonly: false }));
    });
    const { changes, calls } = await lab.plan(user("admin"));
    expect([changes.map(({ key }) => key), calls.length]).toEqual([["twin"], 1]);
    expect((await lab.imported()).match(/name: twin/g)).toHaveLength(1);
  });

  test("leaves alone what would share an address with another object, and an import says so", async () => {
    await using lab = await openDirectLab({ workspace: "exclusive: [{ kind: AnalysisRoleAssignment }]\n" });
    const both = [false, true].map((group) => ({ role: "Triage", account: group ? "g" : "group:g", group }));
    lab.sandbox.change(({ analysis }) => {
      analysis.assignments = both;
    });
    const problem = { code: "SP1020", message: expect.stringContaining("AnalysisRoleAssignment/Triage::group:g") };
    expect(await lab.plan("")).toMatchObject({ changes: [], unknown: [{ problem }] });
    expect(await problemsOf(lab.imported())).toMatchObject([problem]);
  });

  test("costs no request beyond those of the kind itself", async () => {
    await using lab = await openDirectLab(onlyDeclared('except: ["*"]'));
    await lab.plan(user("mlind"));
    expect(lab.asked()).toEqual(["users"]);
  });

  test("is read even if no resource of it is declared", async () => {
    await using lab = await openDirectLab(onlyDeclared("except: [admin]"));
    const { changes } = await lab.plan(document("AnalysisRole", { name: "guest" }));
    expect(changes.filter(({ action }) => action === "delete").map(({ key }) => key)).toEqual(
      names(lab)
        .filter((name) => name !== "admin")
        .sort(),
    );
  });

  test("deletes nothing if its list cannot be read", async () => {
    await using lab = await openDirectLab({
      ...onlyDeclared("except: [admin]"),
      env: { SETPOINT_ANALYSIS_TOKEN: "wrong" },
    });
    const { changes, unknown } = await lab.plan(user("mlind"));
    expect(changes).toEqual([]);
    expect(unknown.map(({ address }) => address)).toEqual(["analysis/AnalysisUser/mlind", "analysis/AnalysisUser/*"]);
  });

  test.each([
    ["[{ kind: AnalysisUsers }]", "SP1008"],
    ["[{ kind: WikiPage }]", "SP1002"],
    ["[{ kind: AnalysisUser, service: analyses }]", "SP1009"],
    ["[{ kind: AnalysisUser, service: review }]", "SP1009"],
    ["[{ kind: AnalysisUser, exept: [admin] }]", "SP1004"],
  ])("is an error with its place if the workspace says exclusive: %s", async (exclusive, code) => {
    await using lab = await openDirectLab({ workspace: `exclusive: ${exclusive}\n` });
    expect(await problemsOf(lab.plan(user("mlind")))).toMatchObject([{ code, place: { file: "setpoint.yaml" } }]);
  });
});

describe("the list of unmanaged objects", () => {
  test("covers only the declared kinds, without declared objects and without changes", async () => {
    await using lab = await openDirectLab();
    const { changes, unmanaged } = await lab.plan({ now: user("mlind"), unmanaged: true });
    expect(changes).toEqual([]);
    expect(unmanaged).toEqual(
      names(lab)
        .filter((name) => name !== "mlind")
        .map((name) => `analysis/AnalysisUser/${name}`)
        .sort(),
    );
    expect(lab.asked()).toEqual(["users"]);
  });

  test("leaves out what is declared in another spelling: a repository's case, a branch as an expression", async () => {
    await using lab = await openDirectLab();
    await lab.apply(document("BranchLock", { project: "platform/core", branch: "^release-2\\.4$" }));
    const now = [
      document("ActionsPermission", { org: "Meridian-Kites", repo: "WEBSITE", enabled: true }),
      document("BranchLock", { project: "platform/core", branch: "^release-2\\.4$" }),
    ];
    expect((await lab.plan({ now: now.join(""), unmanaged: true })).unmanaged).toEqual(
      ["firmware-mirror", "handbook", "telemetry"].map((repo) => `hosting/ActionsPermission/meridian-kites/${repo}`),
    );
  });

  test("exists only on request", async () => {
    await using lab = await openDirectLab();
    expect(await lab.plan(user("mlind"))).not.toHaveProperty("unmanaged");
  });
});

test("adopt has nothing to do with what an exclusive kind deletes", async () => {
  await using lab = await openDirectLab(onlyDeclared("except: [admin]"));
  expect(await lab.adopt(user("mlind"))).toEqual({ files: [], adopted: [], refusals: [], unknown: [] });
});

test("a rule of an exclusive kind covers only that kind, and only the service that it names", async () => {
  const listing = (kind: string, ...keys: readonly string[]) =>
    [kind, { ...analysisUser, kind, list: async () => keys.map((name) => ({ name })) }] as const;
  const { unwanted, unmanaged } = await listUndeclared({
    kinds: new Map([listing("AnalysisUser", "ours", "stray"), listing("AnalysisGroup", "stray", "extra")]),
    services: ["one", "two"].map((name) => serviceOf("analysis", { name, url: `https://${name}.example` })),
    desired: [declared, { ...declared, address: "two/AnalysisUser/ours", service: "two" }],
    readers: () => ({}),
    now: new Date(0),
    exclusive: [
      { kind: "AnalysisUser", service: "one", except: [], place },
      { kind: "AnalysisGroup", except: ["stray"], place },
    ],
    unmanaged: true,
    selected: () => true,
    reaches: () => true,
  });
  expect(unwanted.map(({ address }) => address).toSorted()).toEqual([
    "one/AnalysisGroup/extra",
    "one/AnalysisUser/stray",
    "two/AnalysisGroup/extra",
  ]);
  expect(unmanaged).toEqual(["one/AnalysisGroup/stray", "two/AnalysisGroup/stray", "two/AnalysisUser/stray"]);
});

describe("with two services at one URL", () => {
  const listed = { ...analysisUser, list: async () => [{ name: "ours" }, { name: "stray" }] };
  const listing = {
    kinds: new Map([[listed.kind, listed]]),
    services: ["one", "two"].map((name) => serviceOf("analysis", { name })),
    desired: [declared],
    readers: () => ({}),
    now: new Date(0),
  };
  const unwantedOf = async (kind: typeof listed & { readonly ofAccount?: true }) => {
    const { unwanted } = await listUndeclared({
      ...listing,
      kinds: new Map([[kind.kind, kind]]),
      exclusive: [{ kind: "AnalysisUser", except: [], place }],
      unmanaged: false,
      selected: () => true,
      reaches: () => true,
    });
    return unwanted.map(({ address }) => address);
  };

  test("what one declares is not undeclared for the other, and what neither declares is deleted once", async () => {
    expect(await unwantedOf(listed)).toEqual(["one/AnalysisUser/stray"]);
  });

  test("an object that belongs to the account is deleted from each", async () => {
    const own = ["one/AnalysisUser/stray", "two/AnalysisUser/stray"];
    expect(await unwantedOf({ ...listed, ofAccount: true })).toEqual(own);
  });

  test("what one declares is not imported from the other", async () => {
    for (const service of listing.services) {
      const { manifests } = await importObjects({ ...listing, service, only: [], folder: ".", out: "manifests" });
      expect(manifests).toMatchObject([{ resources: 1, text: expect.stringContaining("stray") }]);
    }
  });
});

test("an object that a manifest claims under another name is neither unmanaged nor imported", async () => {
  const kind: typeof analysisUser = {
    ...analysisUser,
    claims: ({ name }) => [`the user ${name.toLowerCase()}`],
    list: async () => [{ name: "OURS" }, { name: "stray" }],
  };
  const service = serviceOf("analysis", { name: "one" });
  const kinds = new Map([[kind.kind, kind]]);
  const listing = { kinds, services: [service], desired: [declared], readers: () => ({}), now: new Date(0) };
  const all = { exclusive: [], unmanaged: true, selected: () => true, reaches: () => true };
  const { unmanaged } = await listUndeclared({ ...listing, ...all });
  expect(unmanaged).toEqual(["one/AnalysisUser/stray"]);
  const { manifests } = await importObjects({ ...listing, service, only: [], folder: ".", out: "manifests" });
  expect(manifests).toMatchObject([{ resources: 1, text: expect.stringContaining("stray") }]);
});

test("a resource declared with another service at the same URL since the base is not pruned", async () => {
  await using lab = await openDirectLab();
  const workspace = `  two: { type: klocwork, url: "${lab.sandbox.url}/analysis", limits: { timeout: 2m } }\n`;
  const of = (service: string, name: string) =>
    `---\nkind: AnalysisUser\nmetadata: { service: ${service} }\nspec: { name: ${name} }\n`;
  const base = of("analysis", "mlind") + of("analysis", "jdoe");
  const { changes } = await lab.plan({ base, now: of("two", "mlind"), workspace });
  expect(changes.filter(({ action }) => action === "delete").map(({ key }) => key)).toEqual(["jdoe"]);
});
