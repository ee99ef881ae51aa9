import { describe, expect, test } from "vitest";
import { asOf } from "../../src/planner/subjects.ts";
import { kinds } from "../../src/reconcilers/registry.ts";
import { openDirectLab, problemsOf } from "../support/lab.ts";
import { document } from "../support/manifest.ts";

const lock = document("BranchLock", { project: "platform/core", branch: "release-2.3" }, { expires: "2027-03-31" });
const at = (moment: string) => ({ now: new Date(moment) });

describe("a resource that expires", () => {
  test("is as declared before its day, and should not exist from the first moment of that day on, in UTC", async () => {
    await using before = await openDirectLab(at("2027-03-30T23:59:59Z"));
    const { plan } = await before.apply(lock);
    expect(plan.changes).toMatchObject([{ action: "create" }]);
    await using after = await openDirectLab({ ...at("2027-03-31T00:00:00Z"), world: before.sandbox.state() });
    const ended = await after.apply({ now: lock, base: lock });
    expect(ended.plan.changes).toMatchObject([{ action: "delete", verdict: "pending", note: "expired on 2027-03-31" }]);
    expect(ended.outcomes).toMatchObject([{ result: "applied" }]);
    expect((await after.plan({ now: lock, base: lock })).changes).toEqual([]);
  });

  test("is no longer managed if it cannot be absent", async () => {
    const permission = { org: "acme", repo: "web", enabled: false };
    await using lab = await openDirectLab(at("2027-03-31T00:00:00Z"));
    const { changes, inSync } = await lab.plan(document("ActionsPermission", permission, { expires: "2027-01-01" }));
    expect([changes, inSync]).toEqual([[], []]);
  });

  test("is an error for what refers to it, which says since when", async () => {
    await using lab = await openDirectLab(at("2027-03-31T00:00:00Z"));
    const user = document("AnalysisUser", { name: "kite" }, { expires: "2027-03-01" });
    const group = document("AnalysisGroup", { name: "flyers", users: ["kite"] });
    expect(await problemsOf(lab.plan(user + group))).toMatchObject([
      { code: "SP1010", message: expect.stringContaining("AnalysisUser/kite, which expired on 2027-03-01") },
    ]);
  });

  test.each(["31.3.2027", "2027-02-31", "2027-02-29"])("is an error if its day is not a date: %s", async (expires) => {
    await using lab = await openDirectLab();
    const wrong = document("AnalysisUser", { name: "kite" }, { expires });
    expect(await problemsOf(lab.plan(wrong))).toMatchObject([{ code: "SP1002", place: { line: 3 } }]);
  });

  test("that is already declared absent stays as declared", () => {
    const metadata = { labels: {}, protect: false, ignore: [], state: "absent", expires: "2020-01-01" } as const;
    const gone = {
      address: "analysis/AnalysisUser/x",
      service: "analysis",
      role: "analysis",
      kind: "AnalysisUser",
      key: "x",
      scope: "users",
      spec: { name: "x" },
      metadata,
      place: { file: "a.yaml", line: 1, column: 1 },
    } as const;
    expect(asOf([gone], kinds, new Date())).toEqual([gone]);
  });
});
