import { beforeAll, expect, test } from "vitest";
import { accessRule } from "../../src/reconcilers/review/access-rule.ts";
import { describeWithGerrit } from "./support/describe.ts";
import { manifest, pushConfig, realRoad, setAccess } from "./support/real-lab.ts";

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

  /** Creates a project with rules that no manifest names, and returns the text of its configuration. */
  async function projectWithRules(project: string, exclusive: boolean): Promise<string> {
    await gerrit().createProject(project);
    const rules = { "Release Managers": { force: true }, [registered]: { action: "DENY" } };
    await setAccess(gerrit(), project, { [ref]: { permissions: { push: { exclusive, rules }, read: { rules } } } });
    return gerrit().configFile(project);
  }

  test.each([false, true])(
    "adds and removes a rule of a group by its name, and the others stay byte for byte (exclusive: %s)",
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

  test("an exclusive permission without rules, by which nobody may push, is as before once rules are removed", async () => {
    await gerrit().createProject("nobody");
    await setAccess(gerrit(), "nobody", { [ref]: { permissions: { push: { exclusive: true, rules: {} } } } });
    const start = await gerrit().configFile("nobody");
    expect(start).toContain(`[access "${ref}"]\n\texclusiveGroupPermissions = push\n`);
    const road = realRoad(gerrit());
    await road.apply(manifest(rule("nobody")));
    expect(await gerrit().configFile("nobody")).toBe(`${start}\tpush = group Developers\n`);
    await road.apply(manifest([...rule("nobody"), { state: "absent" }]));
    expect(await gerrit().configFile("nobody")).toBe(start);
  });

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

  test("finds a permission by its name in any case, and keeps its spelling", async () => {
    await projectWithRules("spelled", false);
    const add = { [ref]: { permissions: { PUSH: { rules: { Developers: { action: "BLOCK" } } } } } };
    await setAccess(gerrit(), "spelled", add);
    expect(await gerrit().configFile("spelled")).toContain("\tpush = block group Developers\n");
    const rules = [{ group: "Developers", action: "BLOCK" }];
    const road = realRoad(gerrit());
    expect((await road.plan(manifest(rule("spelled", { permission: "PUSH", rules })))).changes).toEqual([]);
  });

  test("reports who changed the rules manually, when and why, from the newest commits of the project's configuration", async () => {
    await projectWithRules("told", false);
    const manifests = manifest(rule("told"));
    const road = realRoad(gerrit());
    await road.apply(manifests);
    const remove = { [ref]: { permissions: { push: { rules: {} } } } };
    const message = "Just this once\n\nOnly until Friday.";
    await gerrit().call("POST", "/a/projects/told/access", { body: { remove, message } });
    const { changes } = await road.plan({ now: manifests, base: manifests });
    const log = await gerrit().configLog("told");
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/);
    expect(changes).toMatchObject([
      {
        happened: { action: "delete", risks: ["narrows-access"] },
        events: log
          .slice(0, 3)
          .map((commit) => ({ what: "configured", name: "project", by: "Administrator", at, ...commit })),
      },
    ]);
    expect(changes[0]?.events?.[0]).toMatchObject({ message });
  });

  test("changes the exclusive flag of an existing permission, and keeps every rule in it", async () => {
    const exclusive = await projectWithRules("exclusive", true);
    const open = await projectWithRules("open", false);
    const road = realRoad(gerrit());
    const rules = [{ group: "Release Managers", force: true }];
    await road.apply(
      manifest(rule("exclusive", { rules, exclusive: false }), rule("open", { rules, exclusive: true })),
    );
    // The server writes the line of a new flag at the end of its section.
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

  test("budget: all rules and locks of a project take one read of it and one commit to its configuration", async () => {
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
    // One more read is for the group, which is new in the project.
    expect(report.plan.services).toMatchObject([{ reads: 2 }]);
    expect(report.requests).toEqual({ review: { reads: 1, writes: 1 } });
    expect(await gerrit().configLog("both")).toHaveLength(before.length + 1);
    expect((await road.plan(all)).changes).toEqual([]);
  });

  test("a group that does not exist needs a person, and nothing is written", async () => {
    await gerrit().createProject("no-group");
    const report = await realRoad(gerrit()).apply(manifest(rule("no-group", { rules: [{ group: "Develpers" }] })));
    expect(report.calls).toEqual([]);
    expect(report.plan.changes).toMatchObject([
      { action: "check", instruction: expect.stringContaining('Did you mean "Developers"?') },
    ]);
  });

  test("a flag needs a person beside the rule of a group that no longer exists: the server would not add it again", async () => {
    await gerrit().createProject("ghost");
    await setAccess(gerrit(), "ghost", {
      "refs/meta/config": { permissions: { push: { rules: { Administrators: {} } } } },
    });
    const groups = `${await gerrit().configFile("ghost", "groups")}${"f".repeat(40)}\tGone\n`;
    const config = `${await gerrit().configFile("ghost")}[access "${ref}"]\n\tpush = group Gone\n`;
    expect(await pushConfig(gerrit(), "ghost", { "project.config": config, groups })).toBe("accepted");
    const road = realRoad(gerrit());
    expect((await road.apply(manifest(rule("ghost")))).outcomes).toMatchObject([{ result: "applied" }]);
    const { changes } = await road.plan(manifest(rule("ghost", { exclusive: true })));
    expect(changes).toMatchObject([
      { action: "check", instruction: expect.stringContaining("a group that it does not know") },
    ]);
    const path = "/a/projects/ghost/access";
    const rules = { ["f".repeat(40)]: {} };
    const body = { add: { "refs/heads/x": { permissions: { push: { rules } } } } };
    expect((await gerrit().call("POST", path, { body })).status).toBe(422);
  });

  test("a group is found by its name in any case, its UUID and its number, even if it is built into the server", async () => {
    const { id, group_id } = await groupOf("Developers");
    const road = realRoad(gerrit());
    for (const [index, group] of ["DEVELOPERS", id, String(group_id), "Change Owner", registered].entries()) {
      const project = `named/${index}`;
      await gerrit().createProject(project);
      const named = manifest(rule(project, { rules: [{ group }] }));
      expect((await road.apply(named)).outcomes).toMatchObject([{ result: "applied" }]);
      expect((await road.plan(named)).changes).toEqual([]);
      await road.apply(manifest([...rule(project, { rules: [{ group }] }), { state: "absent" }]));
      expect(await gerrit().configFile(project)).not.toContain("push");
    }
  });

  async function groupOf(name: string): Promise<{ readonly id: string; readonly group_id: number }> {
    const { text } = await gerrit().call("GET", `/a/groups/${name}`);
    return JSON.parse(text.slice(text.indexOf("\n")));
  }

  test("a rule that the server refuses does not keep locks of its project from being applied", async () => {
    await gerrit().createProject("divided");
    const locks = ["a", "b"].map((branch) => ["BranchLock", { project: "divided", branch }] as const);
    const report = await realRoad(gerrit()).apply(manifest(rule("divided", { permission: "psuh" }), ...locks));
    expect(report.calls.map(({ result }) => result)).toEqual(["divided", "failed", "done", "done"]);
    expect(report.outcomes).toMatchObject([
      { result: "failed", problem: { message: expect.stringContaining("psuh") } },
      { result: "applied" },
      { result: "applied" },
    ]);
  });

  test("a name that breaks the configuration on the server is an error in a manifest", async () => {
    await gerrit().createProject("broken");
    const permission = "removeLabel-Code Review";
    const add = { "refs/heads/x": { permissions: { [permission]: { rules: { Developers: {} } } } } };
    expect((await gerrit().call("POST", "/a/projects/broken/access", { body: { add } })).status).toBe(409);
    expect((await gerrit().call("GET", "/a/projects/broken/access")).status).toBe(409);
    expect(accessRule.spec.safeParse(rule("broken", { permission })[1]).success).toBe(false);
  });

  test("ref patterns are errors in a manifest if and only if the server refuses them", async () => {
    await gerrit().createProject("patterns");
    const patterns = [
      ...[
        "[unclosed$",
        "(a",
        "a)",
        "a|",
        "(a|)",
        "(|a)",
        "()a",
        "a{x}",
        "a{2}",
        "a{2,}b{0,3}",
        "a**",
        "a*+b",
        "a?b",
        ".*",
      ],
      ...[".*$", ".+", "[^a]+", "[a-]b", "[]]", "\\d+", "\\.x", "x\\.", "(a|b)\\.[0-9]+", "(?!x).+", "(?i)x", "(?:x)y"],
      ...[
        '"x"',
        'x"',
        "a&b",
        "<1-2>",
        "#",
        "@x",
        "x~y",
        "${username}/.+",
        "(?<n>x)",
        "\\Qx\\E",
        "[a&&b]",
        "a{1}{2}",
        "ü+",
      ],
    ].map((expression) => `^refs/heads/${expression}`);
    const refs = [
      ...patterns,
      "refs/heads/a b",
      ...["fix(core", "a)", "{a}", "a{2}", "a+", "++", '"a', "${user}/*", "${username}x"].map(
        (name) => `refs/heads/${name}`,
      ),
      "^refs/heads/${user}/x",
      "refs/heads/a*",
      "refs/heads/x.lock",
      "refs/*",
      "refs/heads/${username}/*",
    ];
    const taken: string[] = [];
    for (const name of refs) {
      const add = { [name]: { permissions: { push: { rules: { [registered]: {} } } } } };
      const { status } = await gerrit().call("POST", "/a/projects/patterns/access", { body: { add } });
      if (status === 200) taken.push(name);
    }
    const isFine = (name: string) => accessRule.spec.safeParse(rule("patterns", { ref: name })[1]).success;
    expect(refs.filter(isFine)).toEqual(taken);
  });
});
