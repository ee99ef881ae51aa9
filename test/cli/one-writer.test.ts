import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { carryOut, untilCurrent } from "../../src/cli/carry-out.ts";
import { openOutput } from "../../src/cli/terminal/output.ts";
import { systemClock } from "../../src/clients/http/clock.ts";
import { ProblemError } from "../../src/core/problem.ts";
import { takeLease } from "../../src/engine/locks/lease.ts";
import { openLeaseRef } from "../../src/engine/locks/lease-ref.ts";
import { diskLocks } from "../../src/engine/locks/locks.ts";
import { openRepository } from "../../src/manifests/sources/repository.ts";
import type { ApplyOptions, Planned, Wrong } from "../../src/setpoint.ts";
import { ended, openDesk, start, temporaryFolder } from "../support/commands.ts";
import { commitAll, gitIn } from "../support/git.ts";
import { problemsOf } from "../support/lab.ts";
import { document } from "../support/manifest.ts";
import { expectOneHeld, liveTokens } from "../support/tokens.ts";

async function planOf(planning: Promise<Planned | Wrong>): Promise<Planned> {
  const planned = await planning;
  if (planned.is === "wrong") throw new ProblemError(...planned.problems);
  return planned;
}

test("an apply or a revert is refused with exit code 4 while another machine holds the lease, and takes none itself", async () => {
  await using desk = await openDesk(document("WikiPage", { id: "48213", title: "Dates" }));
  commitAll(desk.path, "One");
  gitIn(desk.path, "init", "--quiet", "--bare", "remote.git");
  gitIn(desk.path, "remote", "add", "origin", `file://${desk.path}/remote.git`);
  const ref = "refs/setpoint/lease";
  const place = await openLeaseRef(await openRepository(desk.path, "setpoint.yaml"), ref, systemClock);
  const claim = { run: "earlier", command: "apply", workspace: "/srv/other", since: "2026-11-22T08:00:00.000Z" };
  const signal = new AbortController().signal;
  const takenBy = () => takeLease(place, claim, { wait: 0, clock: systemClock, signal });
  const lease = await takenBy();
  const refused = await desk.run(["apply", "--yes", "--lease", ref]);
  expect(refused.code).toBe(4);
  expect(refused.out).toMatch(/\nNothing was done\.\n$/);
  const said = refused.out.replaceAll(/\s+/g, " ");
  for (const word of ["SP5006", "earlier", "2026-11-22 08:00 UTC", "--wait"]) expect(said).toContain(word);
  await lease.release();
  expect((await desk.run(["apply", "--yes", "--lease", ref])).code).toBe(0);
  const revert = ["revert", desk.open().runs()[0]?.run ?? "", "--yes", "--lease", ref];
  const again = await takenBy();
  expect(await desk.run(revert)).toMatchObject({ code: 4, out: expect.stringContaining("SP5006") });
  await again.release();
  expect((await desk.run(revert)).code).toBe(0);
  expect(gitIn(join(desk.path, "remote.git"), "for-each-ref")).toBe("");
});

test("an apply is refused while another one writes, and two that find the lock of a dead one do not harm each other", async () => {
  const token = document("PersonalToken", { description: "robot", deliver: { file: "robot" } }, { service: "wiki" });
  await using desk = await openDesk(token);
  await using state = await temporaryFolder();
  const env = { XDG_STATE_HOME: state.path };
  const apply = () => desk.run(["apply", "--yes"], env);
  const wiki = await desk.open().service("wiki");
  const claim = { run: "earlier", command: "apply", workspace: "/srv/other", since: "2026-11-22T08:00:00.000Z" };
  const signal = new AbortController().signal;
  const taken = await diskLocks(env).take([wiki], claim, { wait: 0, clock: systemClock, signal });

  const refused = await apply();
  expect(refused.code).toBe(4);
  const said = refused.out.replaceAll(/\s+/g, " ");
  for (const word of ["SP5005", "earlier", "2026-11-22 08:00 UTC", "--wait"]) expect(said).toContain(word);
  expect(liveTokens(desk.sandbox.state(), "wiki", "robot")).toEqual([]);

  const folder = join(state.path, "setpoint/locks");
  const [lock = ""] = readdirSync(folder).filter((name) => name.endsWith(".lock"));
  const holder = JSON.parse(readFileSync(join(folder, lock), "utf8"));
  taken.release();
  writeFileSync(join(folder, lock), JSON.stringify({ ...holder, pid: 2 ** 30, started: "1" }));
  const both = await Promise.all([apply(), apply()]);
  // The later run was refused, found its plan out of date, or planned after the first had ended.
  for (const { code } of both) expect([0, 4]).toContain(code);
  expectOneHeld(desk.sandbox.state(), "wiki", "robot", readFileSync(join(desk.path, "robot"), "utf8"));
  expect(readdirSync(folder).filter((name) => !name.endsWith(".last"))).toEqual([]);
});

test.each([
  ["has changed what it planned", ["48213"], "1 call: 1"],
  ["may have changed something else", [], "2 calls: 2"],
])("an apply plans again if the run that it waited for %s", async (_what, changed, left) => {
  const pages = ["48213", "48377"].map((id) => document("WikiPage", { id, title: `Page ${id}` }));
  await using desk = await openDesk(pages.join(""));
  await using state = await temporaryFolder();
  const env = { ...desk.env, XDG_STATE_HOME: state.path };
  const wiki = await desk.open().service("wiki");
  const claim = { run: "earlier", command: "apply", workspace: "/srv/other", since: "2026-11-22T08:00:00.000Z" };
  const signal = new AbortController().signal;
  const taken = await diskLocks(env).take([wiki], claim, { wait: 0, clock: systemClock, signal });
  const command = start(["apply", "--yes", "--wait"], { cwd: desk.path, env });
  onTestFinished(() => void command.kill("SIGKILL"));
  const end = ended(command);
  const [said] = await once(command.stderr, "data");
  expect(String(said)).toMatch(/run earlier, .* Waiting/);
  desk.sandbox.change((world) => {
    for (const id of changed) {
      const page = world.wiki.pages[id];
      if (page) page.title = `Page ${id}`;
    }
  });
  taken.release();
  const { code, out, err } = await end;
  expect(out).toContain("Apply would make 2 calls: 2 × wiki.updatePage.");
  expect(err).toContain("Planning again");
  expect(out).toContain(`Apply would make ${left} × wiki.updatePage.`);
  expect(out).toContain(`${2 - changed.length} applied, 0 failed, 0 skipped.`);
  expect(code).toBe(0);
  expect(desk.open().runs()).toHaveLength(1);
});

test("a plan that is applied as a whole or not at all leaves no run if what it changes has changed", async () => {
  await using desk = await openDesk(document("WikiPage", { id: "48213", title: "Dates" }));
  const workspace = desk.open();
  const planned = await planOf(workspace.plan());
  desk.sandbox.change((world) => {
    const page = world.wiki.pages["48213"];
    if (page) page.title = "Moved";
  });
  desk.sandbox.clear();
  const applied = workspace.apply(planned, { recheck: true, refuses: "outdated" });
  expect(await problemsOf(applied)).toMatchObject([{ code: "SP4003" }]);
  expect(desk.sandbox.requests().map(({ method }) => method)).toEqual(["GET"]);
  expect(workspace.runs()).toEqual([]);
});

test("a plan that was made while another run wrote is not applied as a whole: it has seen only a part of that run", async () => {
  await using desk = await openDesk(document("WikiPage", { id: "48213", title: "Dates" }));
  const workspace = desk.open();
  const { run } = await workspace.apply(await planOf(workspace.plan()));
  const claim = { run, command: "apply", workspace: desk.path, since: "2026-11-22T08:00:00.000Z" };
  const signal = new AbortController().signal;
  const wiki = await workspace.service("wiki");
  const taken = await diskLocks(desk.env).take([wiki], claim, { wait: 0, clock: systemClock, signal });
  const early = await planOf(workspace.revert(run));
  await taken.release();
  desk.sandbox.clear();
  await expect(workspace.save(early)).rejects.toThrow("SP5001");
  expect(await problemsOf(workspace.apply(early, { refuses: "early" }))).toMatchObject([{ code: "SP4003" }]);
  expect(desk.sandbox.requests()).toEqual([]);
  const { outcomes } = await workspace.apply(await planOf(workspace.revert(run)), { refuses: "outdated" });
  expect(outcomes).toMatchObject([{ result: "applied" }]);
});

test("a user without a name or a home, as in a container, can plan and apply", async () => {
  await using desk = await openDesk(document("WikiPage", { id: "48213", title: "Dates" }));
  await using state = await temporaryFolder();
  const nobody = join(state.path, "nobody.cjs");
  // This is what Node does if the system knows no user with this number.
  const refusal = 'const none = () => { throw new Error("uv_os_get_passwd returned ENOENT"); };';
  writeFileSync(nobody, `${refusal}\nObject.assign(require("node:os"), { userInfo: none, homedir: none });\n`);
  const env = { NODE_OPTIONS: `--require ${nobody}`, HOME: undefined, XDG_STATE_HOME: undefined };
  expect((await desk.run(["plan"], env)).out).toContain("Apply would make 1 call: 1 × wiki.updatePage.");
  const applied = await desk.run(["apply", "--yes"], { ...env, XDG_STATE_HOME: state.path });
  expect(applied).toMatchObject({ code: 0, out: expect.stringContaining("1 applied") });
  expect(desk.open().runs()).toMatchObject([{ state: "ended", by: `${process.getuid?.()}@${hostname()}` }]);
});

test("a command plans again as long as other runs come first, and from the fifth plan on skips what keeps changing", async () => {
  vi.spyOn(process.stderr, "write").mockReturnValue(true);
  onTestFinished(() => void vi.restoreAllMocks());
  const tries: unknown[] = [];
  const code = await untilCurrent(async (refuses) => {
    tries.push(refuses);
    return tries.length < 7 ? undefined : 0;
  });
  expect(code).toBe(0);
  expect(tries).toEqual([...Array(4).fill("outdated"), ...Array(3).fill("early")]);

  await using desk = await openDesk(["48213", "48377"].map((id) => document("WikiPage", { id, title: id })).join(""));
  const workspace = desk.open();
  const planned = await planOf(workspace.plan());
  desk.sandbox.change((world) => {
    const page = world.wiki.pages["48213"];
    if (page) page.title = "Moved";
  });
  const { outcomes } = await workspace.apply(planned, { recheck: true, refuses: "early" });
  expect(outcomes.map(({ result }) => result)).toEqual(["stale", "applied"]);

  // After a question a command checks again, because the answer can take long.
  const asked: ApplyOptions[] = [];
  const apply = (_plan: Planned, how: ApplyOptions = {}) => {
    asked.push(how);
    return workspace.apply(planned, { recheck: true, refuses: "outdated" });
  };
  const how = {
    asks: true,
    allowExec: false,
    wait: true as const,
    refuses: "outdated" as const,
    output: openOutput({ json: true, color: false }),
    progress: { show() {}, end() {} },
    all: false,
    workspace: ".",
    stopping: new AbortController().signal,
  };
  const shown = { ...planned, plan: { ...planned.plan, calls: [] } };
  expect(await carryOut({ ...workspace, apply }, shown, how)).toBeUndefined();
  expect(asked).toMatchObject([{ recheck: true, allowExec: false, wait: Infinity, refuses: "outdated" }]);
});

test("a plan without calls that was made while another run wrote says so, is waited for, and is not recorded", async () => {
  await using desk = await openDesk(document("WikiPage", { id: "48213", title: "Dates" }));
  commitAll(desk.path, "One");
  const title = desk.sandbox.state().wiki.pages["48213"]?.title ?? "";
  const rename = (to: string) =>
    desk.sandbox.change((world) => {
      const page = world.wiki.pages["48213"];
      if (page) page.title = to;
    });
  const record = ["--record", "refs/setpoint/applied"];
  expect((await desk.run(["apply", "--yes"])).code).toBe(0);
  const claim = { run: "earlier", command: "apply", workspace: "/srv/other", since: "2026-11-22T08:00:00.000Z" };
  const signal = new AbortController().signal;
  const wiki = await desk.open().service("wiki");
  const taken = await diskLocks(desk.env).take([wiki], claim, { wait: 0, clock: systemClock, signal });
  const [run = ""] = desk
    .open()
    .runs()
    .map(({ run }) => run);

  const early = await desk.run(["apply", "--yes", ...record]);
  expect(early.code).toBe(1);
  expect(early.out.replaceAll(/\s+/g, " ")).toMatch(
    /SP5005 .*Another run wrote to wiki .*applied was not moved: Another run wrote/,
  );
  const dry = await desk.run(["revert", run, "--dry-run"]);
  expect(dry).toMatchObject({ code: 2, out: expect.stringContaining("Another run wrote to wiki") });

  const command = start(["apply", "--yes", "--wait", ...record], { cwd: desk.path, env: desk.env });
  onTestFinished(() => void command.kill("SIGKILL"));
  const end = ended(command);
  await once(command.stderr, "data");
  rename(title);
  expect(await desk.run(["revert", run, "--yes"])).toMatchObject({ code: 4, out: expect.stringContaining("--wait") });
  await taken.release();
  const { code, out } = await end;
  expect(out).toContain("1 applied");
  expect(out).toContain("refs/setpoint/applied now names");
  expect(code).toBe(0);
});
