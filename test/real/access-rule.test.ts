import { beforeAll, expect, test } from "vitest";
import { describeWithGerrit } from "./support/describe.ts";
import { manifest, realRoad, setAccess } from "./support/real-lab.ts";

const registered = "global:Registered-Users";
const ref = "refs/heads/master";

function rule(project: string, more: object = {}) {
  return ["AccessRule", { project, ref, permission: "push", rules: [{ group: "Developers" }], ...more }] as const;
}

describeWithGerrit("AccessRule on a real server", (gerrit) => {
  beforeAll(async () => {
    await gerrit().createGroup("Developers");
    await gerrit().createGroup("Release Managers");
  });

  /** A project with rules that no manifest names; answers the text of its configuration. */
  async function projectWithRules(project: string, exclusive: boolean): Promise<string> {
    await gerrit().createProject(project);
    const rules = { "Release Managers": { force: true }, [registered]: { action: "DENY" } };
    await setAccess(gerrit(), project, { [ref]: { permissions: { push: { exclusive, rules }, read: { rules } } } });
    return gerrit().configFile(project);
  }

  test.each([false, true])(
    "adds a rule of a group by its name and takes it away, others stay byte for byte (exclusive: %s)",
    async (exclusive) => {
      const project = `others/${exclusive}`;
      const start = await projectWithRules(project, exclusive);
      const road = realRoad(gerrit());
      expect((await road.apply(manifest(rule(project)))).outcomes).toMatchObject([{ result: "applied" }]);
      expect(await gerrit().configFile(project)).toContain("\tpush = group Developers\n");
      expect((await road.plan(manifest(rule(project)))).changes).toEqual([]);
      await road.apply(manifest([...rule(project), { state: "absent" }]));
      expect(await gerrit().configFile(project)).toBe(start);
    },
  );

  test("changes a rule in its place: one line, in one commit", async () => {
    const start = await projectWithRules("changed", true);
    const road = realRoad(gerrit());
    const before = await gerrit().configLog("changed");
    const rules = [{ group: "Release Managers", action: "BLOCK" }];
    expect((await road.apply(manifest(rule("changed", { rules })))).outcomes).toMatchObject([{ result: "applied" }]);
    expect(await gerrit().configFile("changed")).toBe(
      start.replace("\tpush = +force group Release Managers\n", "\tpush = block group Release Managers\n"),
    );
    expect(await gerrit().configLog("changed")).toHaveLength(before.length + 1);
    expect((await road.plan(manifest(rule("changed", { rules })))).changes).toEqual([]);
  });

  test("changes the exclusive flag of a permission that exists, and keeps every rule in it", async () => {
    const exclusive = await projectWithRules("exclusive", true);
    const open = await projectWithRules("open", false);
    const road = realRoad(gerrit());
    const rules = [{ group: "Release Managers", force: true }];
    await road.apply(
      manifest(rule("exclusive", { rules, exclusive: false }), rule("open", { rules, exclusive: true })),
    );
    // The server writes the line of a flag that is new at the end of its section.
    const lines = (text: string) => text.trim().split("\n").sort();
    expect(lines(await gerrit().configFile("exclusive"))).toEqual(lines(open));
    expect(lines(await gerrit().configFile("open"))).toEqual(lines(exclusive));
  });

  test("writes votes with their range, and reads them back", async () => {
    await gerrit().createProject("votes");
    const rules = [
      { group: "Developers", min: -1, max: 1 },
      { group: "Release Managers", min: -2, max: 2 },
    ];
    const votes = manifest(rule("votes", { permission: "label-Code-Review", rules }));
    const road = realRoad(gerrit());
    expect((await road.apply(votes)).outcomes).toMatchObject([{ result: "applied" }]);
    expect(await gerrit().configFile("votes")).toContain("\tlabel-Code-Review = -1..+1 group Developers\n");
    expect((await road.plan(votes)).changes).toEqual([]);
  });

  test("budget: rules and locks of one project are one read and one commit of its configuration", async () => {
    await gerrit().createProject("both");
    const before = await gerrit().configLog("both");
    const all = manifest(
      rule("both"),
      rule("both", { ref: "refs/tags/*", permission: "createTag" }),
      ["BranchLock", { project: "both", branch: "release-2.4" }],
      ["BranchLock", { project: "both", branch: "release-2.5" }],
    );
    const road = realRoad(gerrit());
    const report = await road.apply(all);
    expect(report.outcomes.map(({ result }) => result)).toEqual(Array(4).fill("applied"));
    expect(report.plan.services).toMatchObject([{ reads: 1 }]);
    expect(report.requests).toEqual({ review: { reads: 1, writes: 1 } });
    expect(await gerrit().configLog("both")).toHaveLength(before.length + 1);
    expect((await road.plan(all)).changes).toEqual([]);
  });

  test("a group that does not exist is a failed outcome in the server's words, and nothing is written", async () => {
    await gerrit().createProject("no-group");
    const before = await gerrit().configLog("no-group");
    const report = await realRoad(gerrit()).apply(manifest(rule("no-group", { rules: [{ group: "Nobody's" }] })));
    expect(report.calls).toMatchObject([
      {
        result: "failed",
        problem: { code: "SP3007", message: expect.stringContaining("Nobody's is not a valid group ID") },
      },
    ]);
    expect(report.outcomes).toMatchObject([{ result: "failed" }]);
    expect(await gerrit().configLog("no-group")).toEqual(before);
  });
});
