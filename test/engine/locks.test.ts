import { spawn } from "node:child_process";
import { once } from "node:events";
import fs, { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Problem } from "../../src/core/problem.ts";
import type { Service } from "../../src/core/service.ts";
import { type Holder, holderOf } from "../../src/engine/locks/holder.ts";
import { busyAt, takeLock } from "../../src/engine/locks/lock-file.ts";
import { alone, diskLocks, type Waiting } from "../../src/engine/locks/locks.ts";
import { temporaryFolder } from "../support/commands.ts";
import { openLab, problemsOf } from "../support/lab.ts";
import { document } from "../support/manifest.ts";

const claim = { run: "r1", command: "apply", workspace: "/srv/tools", since: "2026-11-22T08:00:00.000Z" };
const atOnce: Waiting = {
  wait: 0,
  clock: { now: () => 0, wait: async () => {} },
  signal: new AbortController().signal,
};

function service(name: string, url = `https://${name}.example/base`): Service {
  const limits = { concurrency: 1, timeout: 1, attempts: 1 };
  return { name, role: "review", type: "gerrit", url, wire: "product", limits };
}

/** Locks in a folder of their own. */
async function openState() {
  const state = await temporaryFolder();
  const folder = join(state.path, "setpoint/locks");
  return {
    folder,
    locks: diskLocks({ XDG_STATE_HOME: state.path }),
    files: () => readdirSync(folder).filter((name) => !name.endsWith(".last")),
    [Symbol.asyncDispose]: () => state[Symbol.asyncDispose](),
  };
}

/** A holder whose process has ended. */
function dead(changes: Partial<Holder> = {}): Holder {
  // Linux and macOS never assign a process this number.
  return { ...holderOf(claim), pid: 2 ** 30, started: "1", ...changes };
}

describe("a lock of a service", () => {
  test("is held by one run at a time, whatever the workspace calls the service; a refusal says by whom, since when and what to do", async () => {
    await using state = await openState();
    const taken = await state.locks.take([service("review")], claim, atOnce);
    const other = service("other-name", "HTTPS://review.example:443/base");
    const [problem, ...more] = await problemsOf(state.locks.take([other], { ...claim, run: "r2" }, atOnce));
    expect(more).toEqual([]);
    expect(problem).toMatchObject({ code: "SP5005", service: "other-name", hint: expect.stringContaining("--wait") });
    const who = `${os.userInfo().username} on ${os.hostname()} since`;
    for (const word of [String(process.pid), who, "r1", "2026-11-22 08:00 UTC", "/srv/tools"])
      expect(problem?.message).toContain(word);
    await (await state.locks.take([service("review", "https://review.example/another")], claim, atOnce)).release();
    taken.release();
    const next = await state.locks.take([other], claim, atOnce);
    // Whoever has lost a lock, for example because someone deleted it, releases nobody else's.
    taken.release();
    expect(state.files()).toHaveLength(1);
    next.release();
    expect(state.files()).toEqual([]);
  });

  test("is taken before or after another one, whatever the order of the services, so that no two runs wait for each other", async () => {
    await using state = await openState();
    const both = [service("a"), service("b")];
    const held = await state.locks.take(both.slice(1), claim, atOnce);
    let now = 0;
    const files: number[] = [];
    const clock = { ...atOnce.clock, now: () => now++ };
    const waiting = { ...atOnce, wait: 9, clock, onWaiting: () => void files.push(state.files().length) };
    for (const services of [both, both.toReversed()]) await problemsOf(state.locks.take(services, claim, waiting));
    held.release();
    expect(files).toHaveLength(2);
    expect(new Set(files).size).toBe(1);
  });

  test("is taken together with those of all other services or not at all, and each one that is held is named", async () => {
    await using state = await openState();
    const held = await state.locks.take([service("b"), service("c")], claim, atOnce);
    const problems = await problemsOf(
      state.locks.take(
        ["a", "b", "c", "d"].map((name) => service(name)),
        claim,
        atOnce,
      ),
    );
    expect(problems).toMatchObject([{ message: expect.stringMatching(/^Another run is writing to b, c: /) }]);
    held.release();
    expect(state.files()).toEqual([]);
  });

  test("is in a folder that only the user can open", async () => {
    await using state = await openState();
    const taken = await state.locks.take([service("review")], claim, atOnce);
    expect(statSync(state.folder).mode & 0o777).toBe(0o700);
    for (const file of state.files()) expect(statSync(join(state.folder, file)).mode & 0o777).toBe(0o600);
    taken.release();
    chmodSync(state.folder, 0o777);
    expect(await problemsOf(state.locks.take([service("review")], claim, atOnce))).toMatchObject([{ code: "SP1017" }]);
  });

  test.each(["", "home"])(
    "is in the home that the system knows if HOME is %j, which would depend on the current folder of a run",
    async (home) => {
      await using state = await openState();
      const user = { ...os.userInfo(), homedir: dirname(dirname(state.folder)) };
      const spies = [vi.spyOn(os, "homedir").mockReturnValue(home), vi.spyOn(os, "userInfo").mockReturnValue(user)];
      onTestFinished(() => {
        for (const spy of spies) spy.mockRestore();
        syncBuiltinESMExports();
      });
      syncBuiltinESMExports();
      const taken = await diskLocks({ HOME: home }).take([service("review")], claim, atOnce);
      expect(readdirSync(join(user.homedir, ".local/state/setpoint/locks"))).toContainEqual(
        expect.stringMatching(/^review-.*[.]lock$/),
      );
      taken.release();
    },
  );

  test("says what to do if a file system has no hard links, and leaves no file", async () => {
    await using state = await openState();
    const refused = vi.spyOn(fs, "linkSync").mockImplementation(() => {
      throw Object.assign(new Error("EPERM: operation not permitted, link"), { code: "EPERM" });
    });
    onTestFinished(() => {
      refused.mockRestore();
      syncBuiltinESMExports();
    });
    syncBuiltinESMExports();
    expect(await problemsOf(state.locks.take([service("review")], claim, atOnce))).toMatchObject([
      {
        code: "SP1017",
        message: expect.stringContaining(state.folder),
        hint: expect.stringContaining("XDG_STATE_HOME"),
      },
    ]);
    expect(state.files()).toEqual([]);
  });

  test("can be waited for, naming each run that holds it", async () => {
    await using state = await openState();
    let now = 0;
    const holders = await Promise.all([state.locks.take([service("review")], claim, atOnce)]);
    const told: Problem[] = [];
    const waiting: Waiting = {
      ...atOnce,
      wait: 60_000,
      clock: {
        now: () => now,
        async wait(milliseconds) {
          now += milliseconds;
          if (now > 2000) holders.shift()?.release();
        },
      },
      onWaiting: (problem) => told.push(problem),
    };
    const taken = await state.locks.take([service("review")], { ...claim, run: "r2" }, waiting);
    expect(told).toHaveLength(1);
    expect(await problemsOf(state.locks.take([service("review")], claim, waiting))).toMatchObject([{ code: "SP5005" }]);
    expect(now).toBeGreaterThan(60_000);
    const interrupted = { ...waiting, signal: AbortSignal.abort() };
    expect(await problemsOf(state.locks.take([service("review")], claim, interrupted))).toMatchObject([
      { code: "SP5003" },
    ]);
    taken.release();
  });

  test("is waited for within one limit for all services", async () => {
    await using state = await openState();
    const [a, b] = await Promise.all(["a", "b"].map((name) => state.locks.take([service(name)], claim, atOnce)));
    let now = 0;
    const wait = async (milliseconds: number) => {
      now += milliseconds;
      if (now === 40_000) a?.release();
    };
    const waiting: Waiting = { ...atOnce, wait: 60_000, clock: { now: () => now, wait } };
    const problems = await problemsOf(state.locks.take([service("a"), service("b")], claim, waiting));
    expect(problems).toMatchObject([{ code: "SP5005", service: "b" }]);
    expect(now).toBe(60_000);
    b?.release();
  });

  test("remembers the last run that wrote, so that an older plan is checked again", async () => {
    await using state = await openState();
    const services = [service("a"), service("b")];
    const before = state.locks.lastRuns(services);
    (await state.locks.take(services.slice(0, 1), claim, atOnce)).release();
    const after = state.locks.lastRuns(services);
    expect(after.get("a")).not.toBe(before.get("a"));
    expect(after.get("b")).toBe(before.get("b"));
    const taken = await state.locks.take(services, claim, atOnce);
    expect(taken.before).toEqual(after);
    taken.release();
  });
});

test("a run is named after those that began and ended while it waited, so that the journals are in the order of the runs", async () => {
  await using lab = await openLab();
  const names: string[] = [];
  const pageAt = (id: string, at: string) => ({ now: document("WikiPage", { id, title: id }), at: new Date(at) });
  const meanwhile = [
    async () => void names.push((await road.apply(pageAt("48377", "2026-11-22T08:00:05Z"))).run),
    async () => {},
  ];
  const take = async () => {
    await meanwhile.shift()?.();
    return { before: new Map<string, string>(), release: async () => undefined };
  };
  const road = lab.another({ locks: { lastRuns: () => new Map(), take } });
  names.push((await road.apply(pageAt("48213", "2026-11-22T08:00:00Z"))).run);
  expect(names.map((name) => name.slice(0, -5))).toEqual(["2026-11-22T080005Z", "2026-11-22T080006Z"]);
});

describe("a lock file", () => {
  const mine = () => holderOf({ ...claim, run: "mine" });
  const put = (path: string, holder: unknown) => writeFileSync(path, JSON.stringify(holder));
  const runAt = (path: string) => JSON.parse(readFileSync(path, "utf8")).run;

  test.each([
    ["whose process has ended", {}],
    ["whose process number is another process's now", { pid: process.pid, started: "before" }],
    ["from before the machine was started again", { ...holderOf(claim), boot: "another" }],
  ])("of a run %s is taken over", async (_why, changes) => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "lock");
    put(path, dead(changes));
    expect(takeLock(path, mine())).toBeUndefined();
    expect(runAt(path)).toBe("mine");
    expect(readdirSync(folder.path)).toEqual(["lock"]);
  });

  test.each([
    ["nothing", ""],
    ["zeros", "\0".repeat(300)],
  ])("that a power failure left with %s in it counts as nobody's and is taken over", async (_what, content) => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "lock");
    writeFileSync(path, content);
    expect(busyAt(path)).toBeUndefined();
    expect(takeLock(path, mine())).toBeUndefined();
    expect(runAt(path)).toBe("mine");
    expect(readdirSync(folder.path)).toEqual(["lock"]);
  });

  test("of a later version with more fields still names its run", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "lock");
    const holder = holderOf(claim);
    put(path, { ...holder, lease: "refs/setpoint/lease" });
    expect(takeLock(path, mine())).toEqual({ path, holder });
  });

  test.each([
    ["whose process is there", holderOf(claim)],
    ["of another machine, or of another container", dead({ machine: "elsewhere" })],
    ["whose start the system did not report", { ...holderOf(claim), boot: "", started: "" }],
  ])("of a run %s is left alone", async (_why, holder) => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "lock");
    put(path, holder);
    expect(takeLock(path, mine())).toEqual({ path, holder });
    expect(readdirSync(folder.path)).toEqual(["lock"]);
  });

  test.runIf(process.platform === "linux")(
    "of a run that has ended is taken over, even if its parent has not asked for its result",
    async () => {
      await using folder = await temporaryFolder();
      const path = join(folder.path, "lock");
      const parent = spawn("sh", ["-c", "exec 3<&0; cat <&3 & echo $!; exec cat"]);
      onTestFinished(() => void parent.kill());
      const [said] = await once(parent.stdout, "data");
      // The shell would still ask for it.
      const isReplaced = () => readFileSync(`/proc/${parent.pid}/comm`, "utf8") === "cat\n";
      while (!isReplaced()) await new Promise(setImmediate);
      const status = () => readFileSync(`/proc/${Number(said)}/stat`, "utf8");
      const started = status().split(") ")[1]?.split(" ")[19] ?? "";
      const holder = { ...holderOf(claim), pid: Number(said), started };
      put(path, holder);
      expect(takeLock(path, mine())).toEqual({ path, holder });
      process.kill(holder.pid, "SIGKILL");
      while (!status().includes(") Z ")) await new Promise(setImmediate);
      expect(takeLock(path, mine())).toBeUndefined();
    },
  );

  test("from a machine without an id is left alone by a machine that was started at another time", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "lock");
    let boot = "one";
    const read = readFileSync;
    const reading = vi.spyOn(fs, "readFileSync").mockImplementation((file, options) => {
      if (file === "/etc/machine-id") throw new Error("ENOENT");
      return file === "/proc/sys/kernel/random/boot_id" ? boot : read(file, options);
    });
    onTestFinished(() => {
      reading.mockRestore();
      syncBuiltinESMExports();
    });
    syncBuiltinESMExports();
    const holder = dead();
    put(path, holder);
    boot = "another";
    expect(takeLock(path, mine())).toEqual({ path, holder });
    boot = "one";
    expect(takeLock(path, mine())).toBeUndefined();
  });

  test("is not taken over while another run does so, unless that run has died", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "lock");
    const gone = dead();
    put(path, gone);
    const taking = holderOf({ ...claim, run: "taking" });
    put(`${path}.${gone.id}`, taking);
    expect(takeLock(path, mine())).toEqual({ path: `${path}.${gone.id}`, holder: taking });
    expect(runAt(path)).toBe("r1");
    put(`${path}.${gone.id}`, dead());
    expect(takeLock(path, mine())).toBeUndefined();
    expect(runAt(path)).toBe("mine");
    expect(readdirSync(folder.path)).toEqual(["lock"]);
  });

  test("of a run that has ended is left alone once another run has taken it over", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "lock");
    put(path, dead());
    const faster = holderOf({ ...claim, run: "faster" });
    const asking = vi.spyOn(process, "kill").mockImplementationOnce(() => {
      put(path, faster);
      throw Object.assign(new Error("kill ESRCH"), { code: "ESRCH" });
    });
    onTestFinished(() => asking.mockRestore());
    expect(takeLock(path, mine())).toEqual({ path, holder: faster });
    expect(readdirSync(folder.path)).toEqual(["lock"]);
  });

  test.each([
    ["a link", (path: string) => symlinkSync("target", path)],
    ["a folder", (path: string) => mkdirSync(path)],
    ["something else", (path: string) => put(path, { ...dead(), pid: "1" })],
    ["half a file", (path: string) => writeFileSync(path, "{")],
  ])("that is %s belongs to nobody and is left alone", async (_what, make) => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "lock");
    put(join(folder.path, "target"), dead());
    make(path);
    expect(takeLock(path, mine())).toEqual({ path, holder: undefined });
  });
});

test("a lock that cannot be taken over because the disk is full leaves no lock of its own", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "lock");
  const before = JSON.stringify(dead());
  writeFileSync(path, before);
  const renaming = vi.spyOn(fs, "renameSync").mockImplementation(() => {
    throw new Error("ENOSPC: no space left on device, rename");
  });
  onTestFinished(() => {
    renaming.mockRestore();
    syncBuiltinESMExports();
  });
  syncBuiltinESMExports();
  expect(() => takeLock(path, holderOf(claim))).toThrow("ENOSPC");
  expect(readdirSync(folder.path)).toEqual(["lock"]);
  expect(readFileSync(path, "utf8")).toBe(before);
});

describe("a step that is taken alone with a file", () => {
  test("waits for a run that has the file, by whatever way, never takes the lock from it, and says in the end what to do", async () => {
    await using state = await openState();
    const path = join(state.folder, "../.env");
    const env = { XDG_STATE_HOME: dirname(dirname(state.folder)) };
    let lock = "";
    await alone(path, env, () => {
      lock = join(state.folder, state.files()[0] ?? "");
    });
    expect(state.files()).toEqual([]);
    let waited = 0;
    const wait = async (time: number) => {
      waited += time;
    };
    const live = JSON.stringify(holderOf(claim));
    writeFileSync(lock, live);
    let isTaken = false;
    const step = () => {
      isTaken = true;
    };
    const link = join(state.folder, "link");
    symlinkSync(dirname(path), link);
    for (const way of [path, join(link, ".env")]) {
      waited = 0;
      await expect(alone(way, env, step, { now: () => 0, wait })).rejects.toThrow(lock);
      expect(waited).toBe(10_000);
    }
    expect([isTaken, readFileSync(lock, "utf8")]).toEqual([false, live]);
  });

  test("is over when it fails", async () => {
    await using state = await openState();
    const failing = () => {
      throw new Error("full");
    };
    const env = { XDG_STATE_HOME: dirname(dirname(state.folder)) };
    await expect(alone(join(state.folder, "../.env"), env, failing)).rejects.toThrow("full");
    expect(state.files()).toEqual([]);
  });
});

test("a run that has the locks of several services is one problem, which names all of them", async () => {
  await using state = await openState();
  const both = [service("review"), service("wiki", "https://wiki.example")];
  await state.locks.take(both, claim, atOnce);
  const third = service("hosting", "https://hosting.example");
  await state.locks.take([third], { ...claim, run: "r3" }, atOnce);
  const problems = await problemsOf(state.locks.take([...both, third], { ...claim, run: "r2" }, atOnce));
  const said = problems.map(({ message, service: name }) => [/ to (\S+|review, wiki): /.exec(message)?.[1], name]);
  expect(said).toHaveLength(2);
  expect(said).toEqual(
    expect.arrayContaining([
      ["https://hosting.example", "hosting"],
      ["review, wiki", undefined],
    ]),
  );
  expect(problems.flatMap(({ hint = "" }) => hint.match(/locks\/review-\w+\.lock/g) ?? [])).toHaveLength(3);
});

describe("an apply", () => {
  const page = document("WikiPage", { id: "48213", title: "Dates" });
  const other = document("ActionsPermission", { org: "meridian-kites", repo: "website", enabled: false });

  test("is refused only while another run writes to a service that its plan calls", async () => {
    await using state = await openState();
    await using lab = await openLab();
    const wiki = { ...service("x", `${lab.sandbox.url}/wiki`), role: "wiki" };
    const taken = await state.locks.take([wiki], claim, atOnce);
    const road = lab.another({ locks: state.locks });
    expect(await problemsOf(road.apply(page + other))).toMatchObject([{ code: "SP5005", service: "wiki" }]);
    expect(lab.asked().filter((name) => /^(set|update)/.test(name))).toEqual([]);
    expect(road.journal).toEqual([]);
    expect((await road.apply(other)).outcomes).toMatchObject([{ result: "applied" }]);
    taken.release();
    expect((await road.apply(page)).outcomes).toMatchObject([{ result: "applied" }]);
    expect(state.files()).toEqual([]);
  });

  test("that planned before another run wrote does not act on what it saw then", async () => {
    await using state = await openState();
    await using lab = await openLab();
    const planned = Promise.withResolvers<void>();
    const written = Promise.withResolvers<void>();
    const late = lab.another({
      locks: {
        ...state.locks,
        async take(...given) {
          planned.resolve();
          await written.promise;
          return state.locks.take(...given);
        },
      },
    });
    const token = document("AccessToken", { description: "deploy", deliver: { file: "deploy" } });
    // Nobody wrote to the service of the page.
    const applied = late.apply(token + page);
    await planned.promise;
    await lab.another({ locks: state.locks }).apply(token);
    written.resolve();
    const { outcomes } = await applied;
    expect(outcomes).toMatchObject([{ result: "stale", problem: { code: "SP4003" } }, { result: "applied" }]);
    expect(lab.sandbox.state().artifacts.tokens.filter(({ description }) => description === "deploy")).toHaveLength(1);
  });

  test("that planned while another run was writing does not act on what it saw then", async () => {
    await using state = await openState();
    await using lab = await openLab();
    const wiki = { ...service("wiki", `${lab.sandbox.url}/wiki`), role: "wiki" };
    const writing = await state.locks.take([wiki], claim, atOnce);
    const late = lab.another({ locks: state.locks });
    const report = await late.apply(page, () => {
      lab.sandbox.change(({ wiki }) => {
        const calendar = wiki.pages["48213"];
        if (calendar) calendar.title = "Days";
      });
      writing.release();
    });
    expect(report.outcomes).toMatchObject([{ result: "stale", problem: { code: "SP4003" } }]);
  });
});
