import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ProblemError } from "../../src/core/problem.ts";
import { type Desk, lock, openDesk, workflows, workspaceText } from "../support/commands.ts";
import { gitIn } from "../support/git.ts";

const manifests = workflows("website", false) + workflows("handbook", false);

test("the command that applies a saved plan has the options that select its workspace", async () => {
  await using desk = await openDesk(manifests);
  const { out } = await desk.run(["plan", "--out", "my plan.json", "--workspace", "setpoint.yaml"]);
  expect(out).toMatch(/: setpoint apply 'my plan\.json' --workspace setpoint\.yaml\n$/);
});

test("plan --out saves a plan that apply takes, unless the commit differs, and without what has moved", async () => {
  await using desk = await openDesk(manifests);
  git(desk, "init", "--quiet", "--initial-branch", "main");
  commit(desk);
  const planned = await desk.run(["plan", "--out", "plan.json", "--expires", "2h"]);
  expect(planned.out).toMatch(/\n\nSaved until [-\d]{10} [:\d]{5} UTC: setpoint apply plan\.json\n$/);
  expect(planned.code).toBe(0);
  expect((await stat(join(desk.path, "plan.json"))).mode & 0o777).toBe(0o600);

  const words = "--base HEAD --trust HEAD --service hosting --kind BranchLock --only * --label a=b --no-deletes";
  const consents = "--accept irreversible --max-deletes 1 --max-delete-percent 1";
  const settled = await desk.run(["apply", "plan.json", ...`${words} ${consents}`.split(" ")]);
  expect(settled).toMatchObject({ code: 1, out: expect.stringContaining("SP5001") });
  const options = (`${words} ${consents}`.match(/--\S+/g) ?? []).join(", ");
  expect(settled.out.replaceAll(/\s+/g, " ")).toContain(`: ${options} cannot be given with it. Hint: Give them to`);
  const one = await desk.run(["apply", "plan.json", "--base", "HEAD"]);
  expect(one.out).toContain("--base cannot be given with it.\n  Hint: Give it to");

  await desk.write("manifests/all.yaml", manifests + lock("platform/core", "release-2.4"));
  commit(desk);
  desk.sandbox.clear();
  const other = await desk.run(["apply", "plan.json"]);
  expect(other.out.replace(/\b[0-9a-f]{10}\b/g, "…")).toMatchInlineSnapshot(`
    "SP2004  plan.json: The manifests are not those of the plan: commit … is checked out, but
        the plan was made from …; new: review/BranchLock/platform/core:release-2.4
        (manifests/all.yaml).
      Hint: Plan again and review that plan, or check out the commit of this one. Use the same version
        of setpoint and the same -e, --var and --values for both.
    Nothing was done.
    "
  `);
  expect(other.code).toBe(4);
  expect(desk.sandbox.requests()).toEqual([]);

  git(desk, "reset", "--quiet", "--hard", "HEAD~1");
  desk.sandbox.change(({ hosting }) => {
    const website = hosting.repositories.find(({ name }) => name === "website");
    if (website) website.actions.sha_pinning_required = true;
  });
  const applied = await desk.run(["apply", "plan.json", "--report", "csv=out.csv"]);
  expect(applied.out.slice(applied.out.indexOf("Apply would make"))).toMatchInlineSnapshot(`
    "Apply would make 1 call: 1 × hosting.setActionsPermissions.
    After about 2 requests to hosting: 4,998 of 5,000 requests left until 2100-01-01 00:00 UTC.
    1 call of the saved plan is not made: something has changed since.

    hosting  ✓ workflow permissions of meridian-kites/handbook  1 change in 1 call, verified       0.0 s
    hosting  ✗ workflow permissions of meridian-kites/website   1 stale

    hosting/ActionsPermission/meridian-kites/website  stale
      hosting.setActionsPermissions  SP4003  It has changed since the plan, so the call was not made.
        Hint: Plan again and review what changed.

    1 applied, 0 failed, 0 skipped, 1 stale.
    Run …, journal in ….
    "
  `);
  expect(applied.code).toBe(4);
  const rows = (await readFile(join(desk.path, "out.csv"), "utf8")).split("\r\n");
  expect(rows.filter((row) => row.includes("/website")).join()).toContain('"stale","SP4003');
  expect(rows.filter((row) => row.includes("/handbook")).join()).toContain('"applied"');
});

test("a plan of another commit is refused, saying that nothing else differs", async () => {
  await using desk = await openDesk(manifests);
  git(desk, "init", "--quiet", "--initial-branch", "main");
  commit(desk);
  const text = await savedText(desk);
  await desk.write("README.md", "about");
  commit(desk);
  expect(await desk.open().resume(text)).toMatchObject({
    is: "wrong",
    problems: [
      {
        code: "SP2004",
        message: expect.stringMatching(
          /commit \w{10} is checked out, but the plan was made from \w{10}; no declared resource differs\.$/,
        ),
      },
    ],
  });
});

test("a plan that has already been applied leaves nothing to do, which is not a failure", async () => {
  await using desk = await openDesk(workflows("website", false));
  await desk.write("plan.json", await savedText(desk));
  expect(await desk.run(["apply", "plan.json"])).toMatchObject({ code: 0 });
  desk.sandbox.clear();
  const again = await desk.run(["apply", "plan.json"]);
  expect(again).toEqual({ code: 0, out: "Everything is as desired: 1 resource, 1 read.\n", err: "" });
  expect(desk.sandbox.requests().map(({ method }) => method)).toEqual(["GET"]);
});

test("a resource with an acknowledged difference is not in sync once its saved plan has been applied", async () => {
  const until = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
  const metadata = `metadata: { ignore: [{ fields: [shaPinningRequired], until: ${until}, reason: r }] }\n`;
  const spec = "spec: { org: meridian-kites, repo: website, enabled: false, shaPinningRequired: true }\n";
  await using desk = await openDesk(`kind: ActionsPermission\n${metadata}${spec}`);
  await desk.write("plan.json", await savedText(desk));
  expect(await desk.run(["apply", "plan.json"])).toMatchObject({ code: 0 });
  const { out } = await desk.run(["apply", "plan.json"]);
  const words = "Everything is as desired or acknowledged: 0 resources, 1 read, 1 acknowledged until";
  expect(out).toBe(`${words} ${until}.\n`);
});

test("the base of a saved plan is the commit to which its ref pointed", async () => {
  await using desk = await openDesk(`${manifests}---\nkind: AnalysisGroup\nspec: { name: quality }\n`);
  git(desk, "init", "--quiet", "--initial-branch", "main");
  commit(desk);
  git(desk, "update-ref", "refs/setpoint/applied", "HEAD");
  await desk.write("manifests/all.yaml", workflows("handbook", false));
  commit(desk);
  const workspace = desk.open();
  const planned = await workspace.plan({ base: "applied" });
  if (planned.is === "wrong") throw new ProblemError(...planned.problems);
  // The ref can move at any time, even before the plan is saved.
  git(desk, "update-ref", "refs/setpoint/applied", "HEAD");
  const saved = await workspace.save(planned);
  expect(saved.changes).toContainEqual(expect.objectContaining({ kind: "AnalysisGroup", action: "delete" }));
  const resumed = await desk.open().resume(JSON.stringify(saved));
  expect(resumed).toMatchObject({ is: "planned", plan: { base: "applied", calls: saved.calls } });
});

test("a call that was changed after its plan was made is not sent", async () => {
  const user = "kind: AnalysisUser\nspec: { name: newcomer }\n";
  const group = "---\nkind: AnalysisGroup\nspec: { name: newcomers, users: [newcomer] }\n";
  await using desk = await openDesk(user + group);
  let tamper = () => {};
  const workspace = desk.open({
    onProgress: ({ step, requests }) => {
      if (step === "applying" && [...requests.values()].some((count) => count.writes > 0)) tamper();
    },
  });
  const planned = await workspace.plan();
  if (planned.is === "wrong") throw new ProblemError(...planned.problems);
  const second = planned.plan.calls.find(({ phase }) => phase === 1);
  tamper = () => Reflect.set(second?.args ?? {}, "name", "administrators");
  const { outcomes } = await workspace.apply(planned);
  expect(outcomes).toMatchObject([
    { address: "analysis/AnalysisGroup/newcomers", result: "failed", problem: { code: "SP4006" } },
    { address: "analysis/AnalysisUser/newcomer", result: "applied" },
  ]);
  expect(desk.sandbox.state().analysis.groups.map(({ name }) => name)).not.toContain("administrators");
});

test("what was declared on a service that left the workspace is named", async () => {
  const gone = lock("platform/ui", "release-2.4", "metadata: { state: absent }\n");
  await using desk = await openDesk(manifests + lock("platform/core", "release-2.4") + gone);
  git(desk, "init", "--quiet", "--initial-branch", "main");
  commit(desk);
  await desk.write("setpoint.yaml", workspaceText(desk.sandbox.url).replace(/ {2}review:.*\n/, ""));
  await desk.write("manifests/all.yaml", manifests);
  const { out } = await desk.run(["plan", "--base", "HEAD"]);
  expect(out).toContain(
    "Not looked at: 1 resource of review, which left the workspace. First delete what should not stay.\n" +
      "    review/BranchLock/platform/core:release-2.4\n",
  );
});

test("a plan that cannot be written is shown, creates no file and leaves an older one as it was", async () => {
  await using desk = await openDesk(manifests);
  await writeFile(join(desk.path, "file"), "old");
  const { code, out } = await desk.run(["plan", "--out", "file/plan.json"]);
  expect(out).toMatch(
    /\nApply would make \d call[\s\S]*\n\nSP1017 {2}The plan cannot be written to file\/plan\.json: there is no such folder\.\n/,
  );
  expect(code).toBe(1);
  expect(await readFile(join(desk.path, "file"), "utf8")).toBe("old");
  const json = await desk.run(["plan", "--out", "file/plan.json", "--json"]);
  expect({ code: json.code, ...JSON.parse(json.out) }).toMatchObject({ code: 1, problems: [{ code: "SP1017" }] });
});

async function savedText(desk: Desk): Promise<string> {
  const workspace = desk.open();
  const planned = await workspace.plan();
  if (planned.is === "wrong") throw new ProblemError(...planned.problems);
  return JSON.stringify(await workspace.save(planned));
}

function commit(desk: Desk): void {
  git(desk, "add", "setpoint.yaml", "manifests");
  git(desk, "add", "--all", "--", ":!plan.json", ":!.setpoint");
  git(desk, "commit", "--quiet", "--message", "Change");
}

const git = ({ path }: Desk, ...args: readonly string[]) => gitIn(path, ...args);
