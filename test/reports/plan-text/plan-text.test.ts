import { expect, test } from "vitest";
import { renderPlan } from "../../../src/reports/text/plan-text.ts";
import { emptyPlan, fullPlan, refusals, triggers } from "../fixture.ts";
import { screen } from "./screen.ts";

test("shows every action, verdict, risk and unknown resource at 80 columns", () => {
  expect(renderPlan(fullPlan, screen)).toMatchInlineSnapshot(`
    "Review first:
      cannot be undone
        analysis/AnalysisRole/interns
      widens access
        review/AccessRule/platform/core:refs/heads/*:push
        analysis/AnalysisUser/build-bot
      rotates a secret
        analysis/AnalysisUser/build-bot

    review    https://review.example.com                                     2 reads
      ! AccessRule platform/core:refs/heads/*:push
          conflict, widens access, narrows access
          exclusive  true → false
          rules  (drift)
               {group: Administrators, action: ALLOW, force: false}
            -  {group: "Release Managers", action: ALLOW, force: true}
            +  {group: Developers, action: ALLOW, force: false}
            +  {group: "Release Managers", action: ALLOW, force: false}
          project configured by R. Kumar, 2027-01-13 18:04 UTC: "Just this once…"
          project configured by A. Kim                       manifests/rules.yaml:12
      ~ BranchLock platform/core:release-2.4                 pending, narrows access
          permissions  submit, push → submit, push, pushMerge
          reason       (none) → "Frozen for 2.4 GA"
          manifests/locks.yaml:2
      + BranchLock platform/ui:release-2.4                   pending, narrows access
          project  platform/ui
          branch   release-2.4
          groups   (empty)

    wiki      https://wiki.example.com                                        1 read
      ~ WikiPage 48213                                                         drift
          body
               <table>
            -    <td>2.4 GA</td><td>15 March</td>
            +    <td>2.4 GA</td><td>1 March</td>
               </table>
            …
               <p>Week 10</p>
            -  <p>Week 11</p>
            -  <p>Week 12</p>
            -  <p>Week 13</p>
            -  <p>Week 14</p>
            -  <p>Week 15</p>
            -  <p>Week 16</p>
            -  <p>Week 17</p>
            -  <p>Week 18</p>
            -  <p>Week 19</p>
            -  <p>Week 20</p>
            -  <p>Week 21</p>
            -  <p>Week 22</p>
            -  <p>Week 23</p>
            -  <p>Week 24</p>
            … 16 more lines; --all shows them
          title  "Release calender" → "Release calendar"
          edited by jdoe, 2027-01-13 18:04 UTC, v18            manifests/wiki.yaml:2

    hosting   https://hosting.example.com/api/v3                              1 read
      × HostKeys hosting                                                       drift
          keys.ed25519
            -  …QQQQQQQQQQQQQQQQQlive
            +  …QQQQQQQQQQQQQQQQQstated
          The service presents another host key than the manifest names. Find out
          who changed it before anybody connects.

    analysis  https://analysis.example.com                                   4 reads
      - AnalysisRole interns               pending, cannot be undone, narrows access
      + AnalysisUser build-bot              pending, widens access, rotates a secret
          name      build-bot
          password  •••
      ? 12 resources  The service did not answer within 10 s.                 SP3101
            analysis/AnalysisUser/user-1
            analysis/AnalysisUser/user-2
            … 10 more; --all lists them
          Hint: See whether it is up, or raise limits.timeout.
      ? 1 resource  The list ended at its limit of 100000 without leads.      SP3104
            analysis/AnalysisGroup/leads

    1,214 in sync   4 pending   2 drift   1 conflict   13 unknown   1 needs a person
    1 ignored field
    Apply would make 5 calls: 1 × analysis.createUser, 1 × analysis.deleteRole,
    2 × review.modifyProjectAccess, 1 × wiki.updatePage.
    Unknown resources are left alone until they can be read."
  `);
});

test("uses the width of a wider terminal", () => {
  const changes = fullPlan.changes.filter(({ service }) => service === "hosting" || service === "analysis");
  expect(renderPlan({ ...fullPlan, changes }, { ...screen, width: 120 })).toMatchInlineSnapshot(`
    "Review first:
      cannot be undone
        analysis/AnalysisRole/interns
      widens access
        analysis/AnalysisUser/build-bot
      rotates a secret
        analysis/AnalysisUser/build-bot

    hosting   https://hosting.example.com/api/v3                                                                      1 read
      × HostKeys hosting                                                                                               drift
          keys.ed25519
            -  AAAAC3NzaC1lZDI1NTE5AAAAIQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQlive
            +  AAAAC3NzaC1lZDI1NTE5AAAAIQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQstated
          The service presents another host key than the manifest names. Find out who changed it before anybody connects.

    analysis  https://analysis.example.com                                                                           4 reads
      - AnalysisRole interns                                                       pending, cannot be undone, narrows access
      + AnalysisUser build-bot                                                      pending, widens access, rotates a secret
          name      build-bot
          password  •••
      ? 12 resources  The service did not answer within 10 s.                                                         SP3101
            analysis/AnalysisUser/user-1
            analysis/AnalysisUser/user-2
            … 10 more; --all lists them
          Hint: See whether it is up, or raise limits.timeout.
      ? 1 resource  The list ended at its limit of 100000 without leads.                                              SP3104
            analysis/AnalysisGroup/leads

    1,214 in sync   2 pending   1 drift   0 conflicts   13 unknown   1 needs a person   1 ignored field
    Apply would make 5 calls: 1 × analysis.createUser, 1 × analysis.deleteRole, 2 × review.modifyProjectAccess,
    1 × wiki.updatePage.
    Unknown resources are left alone until they can be read."
  `);
});

test("a refused plan ends with the reasons, --all lists what is in sync, and ASCII is enough", () => {
  const plan = {
    ...emptyPlan,
    services: fullPlan.services,
    changes: fullPlan.changes.filter(({ service }) => service === "analysis"),
    inSync: fullPlan.inSync.slice(0, 3),
    ignored: fullPlan.ignored,
    calls: fullPlan.calls,
    unknown: fullPlan.unknown.slice(0, 5),
    refusals,
  };
  expect(renderPlan(plan, { ...screen, all: true, unicode: false })).toMatchInlineSnapshot(`
    "Review first:
      cannot be undone
        analysis/AnalysisRole/interns
      widens access
        analysis/AnalysisUser/build-bot
      rotates a secret
        analysis/AnalysisUser/build-bot

    review    https://review.example.com                                     2 reads
      = BranchLock platform/core:release-2.3                 in sync, ignores groups

    analysis  https://analysis.example.com                                   4 reads
      - AnalysisRole interns               pending, cannot be undone, narrows access
      + AnalysisUser build-bot              pending, widens access, rotates a secret
          name      build-bot
          password  ***
      ? 5 resources  The service did not answer within 10 s.                  SP3101
            analysis/AnalysisUser/user-1
            analysis/AnalysisUser/user-2
            analysis/AnalysisUser/user-3
            analysis/AnalysisUser/user-4
            analysis/AnalysisUser/user-5
          Hint: See whether it is up, or raise limits.timeout.
      = AnalysisGroup team-1                                                 in sync
      = AnalysisGroup team-2                                                 in sync

    An apply would refuse this plan:
    SP2002  analysis/AnalysisRole/interns is protected, and this plan would delete
        it.
      Hint: Remove metadata.protect first, in a separate commit.
    SP2002  The plan deletes 1 resource; the workspace allows 0.

    3 in sync   2 pending   0 drift   0 conflicts   5 unknown   1 ignored field
    Refused for 2 reasons: an apply would make no call.
    Unknown resources are left alone until they can be read."
  `);
});

test("what a complete apply starts is shown with its arguments, unless the plan is refused", () => {
  const plan = { ...fullPlan, services: [], unknown: [], triggers };
  expect(renderPlan(plan, screen)).toMatchInlineSnapshot(`
    "Review first:
      cannot be undone
        analysis/AnalysisRole/interns
      widens access
        review/AccessRule/platform/core:refs/heads/*:push
        analysis/AnalysisUser/build-bot
      rotates a secret
        analysis/AnalysisUser/build-bot

    1,214 in sync   4 pending   2 drift   1 conflict   0 unknown   1 needs a person
    1 ignored field
    Apply would make 5 calls: 1 × analysis.createUser, 1 × analysis.deleteRole,
    2 × review.modifyProjectAccess, 1 × wiki.updatePage.
    After a complete apply: hosting.dispatchWorkflow with owner "meridian-kites",
    repo "website", workflowId "publish.yml", inputs {"target":"\${run.id}"}.
    After a complete apply: ci.buildJob with job "applied"."
  `);
  expect(renderPlan({ ...plan, refusals }, screen)).not.toContain("After a complete apply");
});

test("says how many calls a joint call can become", () => {
  const [joint, ...calls] = fullPlan.calls;
  if (joint === undefined) throw new Error("The plan has no call.");
  const plan = { ...fullPlan, calls: [{ ...joint, parts: [joint, joint] }, ...calls] };
  const [last] = renderPlan(plan, screen).split("\n\n").slice(-1);
  expect(last).toContain("A joint call that is refused is sent in parts: 2 more calls at most.");
});

test("nothing to do is one calm line", () => {
  const plan = { ...emptyPlan, services: fullPlan.services, inSync: fullPlan.inSync.slice(0, 23) };
  expect(renderPlan(plan, screen)).toBe("Everything is as desired: 23 resources, 8 reads.");
  expect(renderPlan({ ...plan, ignored: fullPlan.ignored }, screen)).toBe(
    "Everything is as desired: 23 resources, 8 reads, 1 ignored field.",
  );
});

test("a plan of nothing does not look like success", () => {
  expect(renderPlan(emptyPlan, screen)).toBe("There is nothing to look at: no resource is declared.");
});

test("a plan that only a person can carry out makes no call, and counts it with its verdict too, as the history does", () => {
  const checks = fullPlan.changes.filter(({ action }) => action === "check");
  expect(renderPlan({ ...emptyPlan, services: fullPlan.services, changes: checks }, screen)).toMatch(
    /\n0 in sync {3}0 pending {3}1 drift {3}0 conflicts {3}0 unknown {3}1 needs a person\nAn apply would make no call\.$/,
  );
});

test("up to three unknown resources are named", () => {
  const screenOf = (count: number) =>
    renderPlan({ ...emptyPlan, services: fullPlan.services, unknown: fullPlan.unknown.slice(0, count) }, screen);
  expect(screenOf(3)).toContain("user-1\n        analysis/AnalysisUser/user-2\n        analysis/AnalysisUser/user-3\n");
  expect(screenOf(4)).toContain("user-1\n        analysis/AnalysisUser/user-2\n        … 2 more; --all lists them\n");
});

test("what only needs another unknown resource comes after the cause", () => {
  const waiting = ["board", "core"].map((name) => ({
    address: `analysis/AnalysisGroup/${name}`,
    service: "analysis",
    problem: { code: "SP2003", message: "It needs analysis/AnalysisUser/user-1, whose state is unknown." } as const,
  }));
  const unknown = [...waiting, ...fullPlan.unknown.slice(0, 1)];
  const text = renderPlan({ ...emptyPlan, services: fullPlan.services, unknown }, screen);
  expect(text.match(/SP\d+/g)).toEqual(["SP3101", "SP2003"]);
});

test("the calls of one operation have their digits in groups, as their total has", () => {
  const calls = Array.from({ length: 1000 }, (_none, id) => ({
    ...{ id, service: "analysis", operation: "createUser", args: {}, phase: 0 },
    ...{ lane: "analysis users", carries: [] },
  }));
  const forecast = { writes: { "analysis.createUser": 1000 }, verifyScopes: 1 };
  const text = renderPlan({ ...fullPlan, calls, forecast }, { width: 80, color: false, all: false });
  expect(text).toContain("Apply would make 1,000 calls: 1,000 × analysis.createUser.");
});

test.each([
  ["apart", "The manifests are not based on it: they are older, or on another branch."],
  ["unknown", "The clone is too shallow to list what came since: git fetch --unshallow origin."],
] as const)("says what a base is to the manifests if their commits cannot be counted: %s", (relation, words) => {
  const basis = { ref: "applied", commit: "c", at: "2027-01-10", age: "3 days", relation, commits: 0, subjects: [] };
  const page = renderPlan({ ...emptyPlan, base: "applied", basis }, { ...screen, width: 200 });
  expect(page).toContain(`Base: applied, c, 3 days old. ${words}`);
});

test("names the rules that made a plan of what is affected a plan of everything", () => {
  const affected = { resources: 7, others: 0, rules: ["guards", "services.wiki"] };
  const page = renderPlan({ ...emptyPlan, affected }, { ...screen, width: 200 });
  expect(page).toContain("Rules of the workspace changed, so all of it was looked at: guards, services.wiki.");
});

test("a saved plan of which nothing is sent says why, and not what an apply would do", () => {
  const withheld = new Map(fullPlan.calls.map(({ id }) => [id, { code: "SP4003", message: "Changed." } as const]));
  const last = renderPlan(fullPlan, { ...screen, withheld })
    .split("\n\n")
    .at(-1);
  expect(last).toMatch(/calls of the saved plan are not made: something has changed since\./);
  expect(last).not.toContain("would make no call");
});
