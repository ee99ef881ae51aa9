import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ProblemError } from "../../src/core/problem.ts";
import {
  type Desk,
  hasTerminals,
  listen,
  lock,
  openDesk,
  temporaryFolder,
  workflows,
  workspaceText,
} from "../support/commands.ts";

const manifests = lock("platform/core", "release-2.4") + workflows("website", false);
const gone = "kind: AnalysisGroup\nmetadata: { state: absent }\nspec: { name: quality }\n";

test("--yes shows the plan, makes its calls, verifies them and leaves nothing to do", async () => {
  await using desk = await openDesk(manifests);
  const shown = await desk.run(["plan"]);
  const { code, out, err } = await desk.run(["apply", "--yes"]);
  const [plan, report] = out.split(/(?<=until 2100-01-01 00:00 UTC\.\n)\n/);
  expect(plan).toBe(shown.out);
  expect(report).toMatchInlineSnapshot(`
    "hosting  ✓ workflow permissions of meridian-kites/website  1 change in 1 call, verified        0.0 s
    review   ✓ access of platform/core                         1 change in 1 call, verified        0.0 s

    2 applied, 0 failed, 0 skipped.
    Run …, journal in ….
    "
  `);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(writes(desk)).toEqual(["hosting.setActionsPermissions", "review.modifyProjectAccess"]);
  expect(await desk.open().plan()).toMatchObject({ is: "planned", plan: { changes: [], calls: [], unknown: [] } });
});

test("the journal records every intended call and its outcome", async () => {
  await using desk = await openDesk(workflows("website", false));
  const workspace = desk.open();
  const planned = await workspace.plan();
  if (planned.is === "wrong") throw new ProblemError(...planned.problems);
  const { journal, run } = await workspace.apply(planned);
  const folder = join(desk.path, ".setpoint/runs");
  expect((await readdir(folder)).map((file) => join(folder, file))).toEqual([journal]);
  expect(journal).toContain(run);
  const lines = (await readFile(journal, "utf8")).trimEnd().split("\n");
  const events = lines.map((line): unknown => JSON.parse(line));
  expect(events).toMatchObject(["start", "before", "intent", "outcome", "end"].map((event) => ({ event })));
});

test("without a terminal and without --yes it does nothing", async () => {
  await using desk = await openDesk(manifests);
  expect(await desk.run(["apply"])).toMatchInlineSnapshot(`
    {
      "code": 1,
      "err": "",
      "out": "SP5001  apply asks before it writes, and no terminal is attached.
      Hint: Pass --yes.
    Nothing was done.
    ",
    }
  `);
  expect(desk.sandbox.requests()).toEqual([]);
});

test.skipIf(!hasTerminals)('on a terminal it asks, and only "yes" confirms (needs util-linux\'s script)', async () => {
  await using desk = await openDesk(workflows("website", false));
  const no = await desk.type(["apply"], "sure\n");
  expect(no.out).toContain('Make this call? Only "yes" is a yes: ');
  expect(no.out).toContain("Nothing was done.");
  expect({ code: no.code, writes: writes(desk) }).toEqual({ code: 4, writes: [] });
  const yes = await desk.type(["apply"], "yes\n");
  expect(yes.out).toContain("1 applied, 0 failed, 0 skipped.");
  expect({ code: yes.code, writes: writes(desk) }).toEqual({ code: 0, writes: ["hosting.setActionsPermissions"] });
});

test("shows a plan that guards refuse and does not apply it", async () => {
  await using desk = await openDesk(gone, { settings: "guards: { maxDeletes: 0 }\n" });
  const { code, out } = await desk.run(["apply", "--yes", "--no-deletes"]);
  expect(out).toMatchInlineSnapshot(`
    "Review first:
      cannot be undone
        analysis/AnalysisGroup/quality

    analysis  http://sandbox.example/analysis                                                     1 read
      - AnalysisGroup quality                                  pending, cannot be undone, narrows access
          name       quality
          exclusive  false
          manifests/all.yaml:1

    An apply would refuse this plan:
    SP2002  The plan deletes 1 resource, and --no-deletes forbids that: analysis/AnalysisGroup/quality.
      Hint: If this is intended, leave out --no-deletes for this run.
    SP2002  The plan deletes 1 resource; the workspace allows 0: analysis/AnalysisGroup/quality.
      Hint: If all of them are intended, allow it for this run only: --max-deletes 1. Or delete in
        several steps.

    0 in sync   1 pending   0 drift   0 conflicts   0 unknown
    Refused for 2 reasons: an apply would make no call.
    "
  `);
  expect(code).toBe(4);
  expect(writes(desk)).toEqual([]);
});

test("leaves unknown resources alone and applies the rest", async () => {
  await using desk = await openDesk(manifests);
  const { code, out } = await desk.run(["apply", "--yes"], { SETPOINT_REVIEW_PASSWORD: "wrong" });
  expect(afterPlan(out)).toMatchInlineSnapshot(`
    "hosting  ✓ workflow permissions of meridian-kites/website  1 change in 1 call, verified        0.0 s
    review   - 1 skipped                                       unknown when planned

    1 applied, 0 failed, 1 skipped.
    Run …, journal in ….
    "
  `);
  expect(code).toBe(3);
  expect(writes(desk)).toEqual(["hosting.setActionsPermissions"]);
});

test("names a call that fails and applies the rest", async () => {
  await using desk = await openDesk(manifests);
  const { code, out } = await desk.run(["apply", "--yes"], { SETPOINT_HOSTING_TOKEN: "auditor-secret" });
  expect(afterPlan(out)).toMatchInlineSnapshot(`
    "hosting  ✗ workflow permissions of meridian-kites/website  1 failed                            0.0 s
    review   ✓ access of platform/core                         1 change in 1 call, verified        0.0 s

    hosting/ActionsPermission/meridian-kites/website  failed
      hosting.setActionsPermissions  SP3004  The service answered 403: Resource not accessible by
          personal access token.
        Hint: Ask an administrator of the service to grant the permission to the account of
          SETPOINT_HOSTING_TOKEN, or use another account.

    1 applied, 1 failed, 0 skipped.
    Run …, journal in ….
    "
  `);
  expect(code).toBe(1);
  expect(out).not.toContain("auditor-secret");
});

test("credentials are only sent to the origin they belong to", async () => {
  await using desk = await openDesk(manifests);
  const asked: (string | undefined)[] = [];
  await using elsewhere = await listen(({ url }, response) => {
    asked.push(url);
    response.end();
  });
  await desk.write("setpoint.yaml", workspaceText(elsewhere.url));
  const unknown = [{ problem: { code: "SP3002" } }, { problem: { code: "SP3002" } }];
  expect(await desk.open().plan()).toMatchObject({ is: "planned", plan: { calls: [], unknown } });
  expect(asked).toEqual([]);
});

/** The writes that the services received, in any order: services are called concurrently. */
function writes({ sandbox }: Desk): readonly string[] {
  return sandbox
    .requests()
    .filter(({ effect }) => effect === "write")
    .map(({ service, operation }) => `${service}.${operation}`)
    .sort();
}

/** What an apply prints after it has shown its plan. */
function afterPlan(out: string): string {
  const plan = out.indexOf("Apply would make");
  return out.slice(out.indexOf("\n\n", plan) + 2);
}

test("a disk that becomes read-only near the end of an apply does not hide the result", async () => {
  await using desk = await openDesk(workflows("website", false));
  await using state = await temporaryFolder();
  const start = JSON.stringify({ event: "start", run: "old", calls: 0 });
  for (let old = 100; old < 200; old++)
    await desk.write(`.setpoint/runs/2026-11-22T0444${old}Z-f00d.jsonl`, `${start}\n`);
  await desk.write(
    "readonly.cjs",
    `const files = require("node:fs");
     const { rmSync } = files;
     files.rmSync = (path, ...more) => {
       if (!/\\.(lock|jsonl)$/.test(path)) return rmSync(path, ...more);
       throw Object.assign(new Error("EROFS: read-only file system, rm"), { code: "EROFS", syscall: "rm", path });
     };
     require("node:module").syncBuiltinESMExports();`,
  );
  const env = { NODE_OPTIONS: `--require ${desk.path}/readonly.cjs`, XDG_STATE_HOME: state.path };
  const { code, out } = await desk.run(["apply", "--yes"], env);
  expect(out).toContain("1 applied, 0 failed, 0 skipped.");
  expect(code).toBe(0);
  // The lock left behind belongs to a process that has ended.
  const again = await desk.run(["apply", "--yes", "--json"], env);
  expect({ code: again.code, ...JSON.parse(again.out) }).toMatchObject({ code: 0, changes: [], calls: [] });
});
