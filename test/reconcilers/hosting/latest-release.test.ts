import { describe, expect, test } from "vitest";
import { type Lab, openLab, problemsOf } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";

const repo = "meridian-kites/website";

function release(tag: string, of = repo): string {
  return document("LatestRelease", { repo: of, tag });
}

async function labWith(tag: string): Promise<Lab> {
  const lab = await openLab();
  lab.sandbox.change(({ hosting }) => {
    for (const { releases } of hosting.repositories)
      for (const one of releases) if (one.tag_name === "v2.3.0") one.tag_name = tag;
  });
  return lab;
}

describe("LatestRelease", () => {
  test("the expected tag is in sync: one read per repository", async () => {
    await using lab = await openLab();
    const plan = await lab.plan(release("v2.3.0"));
    expect([plan.changes, plan.inSync]).toEqual([[], [`hosting/LatestRelease/${repo}`]]);
    expect(lab.asked()).toEqual(["getLatestRelease"]);
  });

  test("another tag needs a person", async () => {
    await using lab = await openLab();
    const report = await lab.apply(release("2.3.0"));
    expect(report.plan.changes).toMatchObject([
      { action: "check", fields: [{ path: ["tag"], live: "v2.3.0", desired: "2.3.0" }] },
    ]);
    expect([report.plan.calls, report.outcomes]).toEqual([[], []]);
  });

  test.each([
    ["v2.3.0", "^2.3", true],
    ["v2.3.0", "~2.4", false],
    ["2.3.9", ">=2.3 <3", true],
    ["v2.3", "2.3.*", true],
    ["3", "^2 || =3.0.0", true],
    ["v2.4.0-rc1", ">=2.3", false],
    ["v2.4.0-rc1", "^2.4.0-rc1", true],
    ["release-2.3.0", ">=2.0", false],
    ["2.x", "2.x", true],
    ["v2.3.0", "2.x", false],
  ])("%s for %j: %j", async (tag, wanted, isMet) => {
    await using lab = await labWith(tag);
    expect((await lab.plan(release(wanted))).changes.length === 0).toBe(isMet);
  });

  test("a repository without a release, or hidden from the account, needs a person", async () => {
    await using lab = await openLab();
    const plan = await lab.plan(release("^1", "meridian-kites/telemetry") + release("^1", "nobody/nothing"));
    expect(plan.changes).toMatchObject([
      { action: "check", instruction: "Publish a release, or give the account access to the repository." },
      { action: "check" },
    ]);
  });

  test("a service that rejects the credentials makes it unknown", async () => {
    await using lab = await openLab({ as: { username: "admin", secret: "wrong" } });
    expect((await lab.plan(release("^2"))).unknown.map(({ problem }) => problem.code)).toEqual(["SP3003"]);
  });

  test.each([
    ["^two", repo],
    [">= 2 <x y", repo],
    ["v1", "website"],
    ["v1", "a/b/c"],
  ])("%j of %j is an error", async (tag, of) => {
    await using lab = await openLab();
    expect(await problemsOf(lab.plan(release(tag, of)))).toMatchObject([{ code: "SP1002" }]);
  });

  test("accepts names with special characters", async () => {
    await using lab = await openLab();
    lab.sandbox.change(({ hosting }) => {
      for (const one of hosting.repositories) if (one.name === "website") one.name = "ü%2F #?";
    });
    expect((await lab.plan(release("v2.3.0", "meridian-kites/ü%2F #?"))).changes).toEqual([]);
  });
});
