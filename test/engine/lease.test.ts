import { appendFileSync, cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Problem } from "../../src/core/problem.ts";
import { pastRun } from "../../src/engine/journal/past-runs.ts";
import { leased, takeLease } from "../../src/engine/locks/lease.ts";
import { type Lease, type LeaseRef, openLeaseRef } from "../../src/engine/locks/lease-ref.ts";
import type { Locks, Waiting } from "../../src/engine/locks/locks.ts";
import { openRepository, type Repository } from "../../src/manifests/sources/repository.ts";
import { type Folder, temporaryFolder } from "../support/commands.ts";
import { commitAll, gitIn } from "../support/git.ts";
import { type Lab, openLab, problemsOf } from "../support/lab.ts";
import { document } from "../support/manifest.ts";
import { type VirtualClock, virtualClock } from "../support/virtual-clock.ts";

const ref = "refs/setpoint/lease";
const start = Date.parse("2026-11-22T08:00:00.000Z");
const minute = 60_000;
const claim = {
  run: "2026-11-22T080000Z-aaaa",
  command: "apply",
  workspace: "/srv/a",
  since: "2026-11-22T08:00:00Z",
};
const other = { ...claim, run: "2026-11-22T080000Z-bbbb" };

/** A remote without a commit and a clone with one, to be copied: git needs several processes to make each of them. */
let made: Folder;
/** The empty tree, which the remote has. */
let tree: string;
beforeAll(async () => {
  made = await temporaryFolder();
  gitIn(made.path, "init", "--quiet", "--bare", "remote.git");
  tree = gitIn(join(made.path, "remote.git"), "hash-object", "-t", "tree", "-w", "/dev/null").trim();
  await made.write("clone/setpoint.yaml", "version: 1\n");
  commitAll(join(made.path, "clone"), "One");
});
afterAll(() => made[Symbol.asyncDispose]());

/**
 * The lease ref of a remote in memory, as every machine sees it. What git does is held by the tests with a remote of git's; what the
 * holders do about it, and when, takes no processes.
 */
function remoteInMemory() {
  const commits = new Map<string, Lease>();
  let at = "";
  let isAway = false;
  const answer = () => {
    if (isAway) throw new Error("no answer");
  };
  const place: LeaseRef = {
    name: ref,
    async write(lease) {
      const id = lease.id.padEnd(40, "0");
      commits.set(id, lease);
      return id;
    },
    async swap(from, to) {
      answer();
      if (at !== from) throw new Error("stale info");
      at = to;
    },
    async look() {
      answer();
      const lease = commits.get(at);
      if (at === "") return { is: "nothing", id: at };
      return lease === undefined ? { is: "strange", id: at } : { is: "lease", id: at, lease };
    },
  };
  return {
    place,
    id: () => at,
    lease: () => commits.get(at),
    /** Puts a lease, or something else, at the ref. */
    put(lease?: Lease): string {
      at = "f".repeat(40);
      if (lease !== undefined) commits.set(at, lease);
      return at;
    },
    /** Takes the remote off the network, and puts it back. */
    leave: () => {
      isAway = true;
    },
    comeBack: () => {
      isAway = false;
    },
  };
}

/** A remote with clones of it, as on several machines. */
async function openRemote() {
  const folder = await temporaryFolder();
  const bare = join(folder.path, "remote.git");
  cpSync(join(made.path, "remote.git"), bare, { recursive: true });
  let clones = 0;
  async function clone(): Promise<Repository> {
    const path = join(folder.path, `clone-${clones++}`);
    cpSync(join(made.path, "clone"), path, { recursive: true });
    appendFileSync(join(path, ".git/config"), `[remote "origin"]\n\turl = file://${bare}\n`);
    return openRepository(path, "setpoint.yaml", { PATH: process.env.PATH });
  }
  return {
    bare,
    clone,
    /** The lease ref of a clone of its own. */
    place: async (clock: VirtualClock) => openLeaseRef(await clone(), ref, clock),
    id: () => gitIn(bare, "for-each-ref", "--format=%(objectname)", ref).trim(),
    message: () => gitIn(bare, "log", "-1", "--format=%B", ref),
    /** Puts a commit with any message at the ref. */
    put(message: string): string {
      writeFileSync(join(folder.path, "message"), message);
      const id = gitIn(bare, "commit-tree", tree, "-F", join(folder.path, "message")).trim();
      gitIn(bare, "update-ref", ref, id);
      return id;
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

function waitingOn(clock: VirtualClock, more: Partial<Waiting> = {}): Waiting {
  return { wait: 0, clock, signal: new AbortController().signal, ...more };
}

/** A lease of another machine. */
const foreign: Lease = {
  version: 1,
  id: "0123456789abcdef",
  holder: "ci@runner-7",
  run: claim.run,
  since: claim.since,
  expires: new Date(start + 10 * minute).toISOString(),
};

/** The commit message of a lease. */
function leaseText(changes: Readonly<Record<string, unknown>> = {}): string {
  return `setpoint lease\n\n${JSON.stringify({ ...foreign, ...changes })}\n`;
}

/** Whether nothing is under way except the wait for the next renewal. */
const isRenewed = (waits: readonly number[]) => waits.length === 1 && waits[0] === 2 * minute;
const isTriedAgain = (waits: readonly number[]) => waits.length === 1 && waits[0] === 20_000;
const isOver = (waits: readonly number[]) => waits.length === 0;

describe("a lease", () => {
  test("is held by one of two runs on two machines, names its holder, and is released", async () => {
    await using remote = await openRemote();
    const clock = virtualClock(start);
    const [one, two] = await Promise.all([remote.place(clock), remote.place(clock)]);
    const lease = await takeLease(one, claim, waitingOn(clock));
    for (const word of [claim.run, claim.since, "2026-11-22T08:10:00.000Z", "holder"])
      expect(remote.message()).toContain(word);
    const [problem, ...more] = await problemsOf(takeLease(two, other, waitingOn(clock)));
    expect(more).toEqual([]);
    expect(problem).toMatchObject({ code: "SP5006", hint: expect.stringContaining("--wait") });
    for (const word of [ref, claim.run, "since 2026-11-22 08:00 UTC", "until 2026-11-22 08:10 UTC"])
      expect(problem?.message).toContain(word);
    await lease.release();
    expect(remote.id()).toBe("");
    await (await takeLease(two, other, waitingOn(clock))).release();
    expect(remote.id()).toBe("");
  });

  test("is held at a remote that is a path relative to the work tree", async () => {
    await using remote = await openRemote();
    const clock = virtualClock(start);
    const repository = await remote.clone();
    await repository.run(["config", "remote.origin.url", "../remote.git"]);
    const lease = await takeLease(await openLeaseRef(repository, ref, clock), claim, waitingOn(clock));
    expect(remote.message()).toContain(claim.run);
    await lease.release();
    expect(remote.id()).toBe("");
  });

  test("goes to one run if several ask at the same moment, whether there was none or an expired one", async () => {
    await using remote = await openRemote();
    const clock = virtualClock(start);
    const places = await Promise.all([remote.place(clock), remote.place(clock), remote.place(clock)]);
    for (const before of ["none", "expired"]) {
      if (before === "expired") remote.put(leaseText({ expires: "2026-11-22T07:00:00Z" }));
      const taken = await Promise.allSettled(places.map((place) => takeLease(place, claim, waitingOn(clock))));
      const leases = taken.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      expect(leases).toHaveLength(1);
      await leases[0]?.release();
      expect(remote.id()).toBe("");
    }
  });

  test("that has expired is taken over a minute later, and its former holder leaves the new one alone", async () => {
    const remote = remoteInMemory();
    const [clock, late] = [virtualClock(start), virtualClock(start + 11 * minute - 1)];
    const lost = await takeLease(remote.place, claim, waitingOn(clock));
    expect(await problemsOf(takeLease(remote.place, other, waitingOn(late)))).toMatchObject([{ code: "SP5006" }]);
    await late.pass(1, isOver);
    const lease = await takeLease(remote.place, other, waitingOn(late));
    expect(remote.lease()?.run).toBe(other.run);
    await clock.pass(2 * minute, isOver);
    expect(lost.lost.reason.problems).toMatchObject([{ code: "SP5006", message: expect.stringContaining(other.run) }]);
    await lost.release();
    expect(remote.lease()?.run).toBe(other.run);
    await lease.release();
    expect(remote.id()).toBe("");
  });

  test("is renewed until it is released", async () => {
    const remote = remoteInMemory();
    const clock = virtualClock(start);
    const lease = await takeLease(remote.place, claim, waitingOn(clock));
    const first = remote.id();
    for (const end of ["08:12", "08:14", "08:16"]) {
      await clock.pass(2 * minute, isRenewed);
      expect(remote.lease()?.expires).toBe(`2026-11-22T${end}:00.000Z`);
    }
    expect(remote.id()).not.toBe(first);
    expect(lease.lost.aborted).toBe(false);
    await lease.release();
    expect(remote.id()).toBe("");
  });

  test("that cannot be renewed holds until a minute before its end, and is renewed if the remote returns by then", async () => {
    const remote = remoteInMemory();
    const clock = virtualClock(start);
    const lease = await takeLease(remote.place, claim, waitingOn(clock));
    remote.leave();
    await clock.pass(2 * minute, isTriedAgain);
    await clock.pass(5 * minute, isTriedAgain);
    expect(lease.lost.aborted).toBe(false);
    remote.comeBack();
    await clock.pass(1 * minute, isRenewed);
    remote.leave();
    await clock.pass(2 * minute, isTriedAgain);
    await clock.pass(6.5 * minute, isTriedAgain);
    expect(lease.lost.aborted).toBe(false);
    await clock.pass(0.5 * minute, isOver);
    expect(lease.lost.reason.problems).toMatchObject([
      { code: "SP5006", message: expect.stringContaining("could not be renewed before it expired") },
    ]);
    remote.comeBack();
    await lease.release();
    expect(remote.id()).toBe("");
  });

  test("whose renewal is refused once is not lost", async () => {
    const { place, id } = remoteInMemory();
    const clock = virtualClock(start);
    let pushes = 0;
    const swap: LeaseRef["swap"] = async (from, to) => {
      if (pushes++ === 1) throw new Error("refused");
      await place.swap(from, to);
    };
    const lease = await takeLease({ ...place, swap }, claim, waitingOn(clock));
    await clock.pass(2 * minute, (waits) => isTriedAgain(waits) || isOver(waits));
    expect(lease.lost.aborted).toBe(false);
    await clock.pass(minute / 3, isRenewed);
    await lease.release();
    expect(id()).toBe("");
  });

  test("whose renewal hangs ends in time", async () => {
    const remote = remoteInMemory();
    const clock = virtualClock(start);
    const { place } = remote;
    const asked = Promise.withResolvers<void>();
    const hanging = Promise.withResolvers<void>();
    let pushes = 0;
    const swap: LeaseRef["swap"] = (from, to) => {
      if (pushes++ !== 1) return place.swap(from, to);
      asked.resolve();
      return hanging.promise;
    };
    const lease = await takeLease({ ...place, swap }, claim, waitingOn(clock));
    await clock.pass(2 * minute, () => true);
    await asked.promise;
    await clock.pass(7 * minute, isOver);
    expect(lease.lost.aborted).toBe(true);
    hanging.reject(new Error("ended"));
    await lease.release();
    expect(remote.id()).toBe("");
  });

  test("whose push arrived without an answer is held, renewed and released like any other", async () => {
    const remote = remoteInMemory();
    const clock = virtualClock(start);
    const { place } = remote;
    const swap: LeaseRef["swap"] = async (from, to) => {
      await place.swap(from, to);
      throw new Error("the answer was lost");
    };
    const lease = await takeLease({ ...place, swap }, claim, waitingOn(clock));
    await clock.pass(2 * minute, isRenewed);
    expect(remote.lease()?.expires).toBe("2026-11-22T08:12:00.000Z");
    await lease.release();
    expect(remote.id()).toBe("");
  });

  test("is not taken if the remote does not confirm that the push arrived", async () => {
    const remote = remoteInMemory();
    const clock = virtualClock(start);
    const { place } = remote;
    let pushes = 0;
    const silent: LeaseRef = {
      ...place,
      async swap(from, to) {
        await place.swap(from, to);
        if (pushes++ === 0) throw new Error("the answer was lost");
      },
      look: async () => Promise.reject(new Error("no answer")),
    };
    await expect(takeLease(silent, claim, waitingOn(clock))).rejects.toThrow("no answer");
    expect(remote.id()).toBe("");
  });

  test("can be waited for, naming each run that holds it once", async () => {
    const remote = remoteInMemory();
    const clock = virtualClock(start);
    const first = await takeLease(remote.place, claim, waitingOn(clock));
    const told: Problem[] = [];
    const onWaiting = (problem: Problem) => told.push(problem);
    const asking = takeLease(remote.place, other, waitingOn(clock, { wait: 10 * minute, onWaiting }));
    await clock.pass(0, (waits) => waits.includes(10_000));
    await clock.pass(2 * minute, (waits) => waits.length === 2 && waits[0] === 10_000 && waits[1] === 2 * minute);
    await first.release();
    await clock.pass(10_000, isRenewed);
    const second = await asking;
    expect(told).toMatchObject([{ code: "SP5006", message: expect.stringContaining(claim.run) }]);
    const stopped = waitingOn(clock, { wait: 10 * minute, signal: AbortSignal.abort() });
    expect(await problemsOf(takeLease(remote.place, claim, stopped))).toMatchObject([{ code: "SP5003" }]);
    await second.release();
  });

  test("is waited for although the remote does not answer for a while", async () => {
    const remote = remoteInMemory();
    const clock = virtualClock(start);
    const { place } = remote;
    const first = await takeLease(place, claim, waitingOn(clock));
    let looks = 0;
    const look: LeaseRef["look"] = async () => {
      if (++looks === 2) throw new Error("no answer");
      return place.look();
    };
    const asking = takeLease({ ...place, look }, other, waitingOn(clock, { wait: 10 * minute }));
    await clock.pass(0, (waits) => waits.includes(10_000));
    await Promise.race([asking, clock.pass(10_000, (waits) => looks === 2 && waits.includes(10_000))]);
    await first.release();
    await clock.pass(10_000, isRenewed);
    await (await asking).release();
    expect(remote.id()).toBe("");
  });

  test("that another machine has gives this machine's locks back, and is waited for within one limit with them", async () => {
    let now = start;
    let releases = 0;
    const clock = {
      now: () => now,
      async wait(time: number) {
        // The limit of one answer of git's, which comes at once.
        if (time === 20_000) await new Promise(() => {});
        now += time;
      },
    };
    const id = "f".repeat(40);
    const run: Repository["run"] = async ([command, option], { input } = {}) => {
      if (command === "push") throw new Error("stale info");
      // Git also lists refs that only end like the one that is asked for.
      if (command === "ls-remote") return Buffer.from(`${"0".repeat(40)}\trefs/heads/${ref}\n${id}\t${ref}\n`);
      if (option === "--batch-check") return Buffer.from(input === id ? `${id} commit 300` : `${input} missing`);
      return Buffer.from(`tree\n\n${leaseText()}`);
    };
    const locks: Locks = {
      lastRuns: () => new Map(),
      async take() {
        now += 4 * minute;
        return { before: new Map(), release: async () => void releases++ };
      },
    };
    const repository = { ...(await openRepository(join(made.path, "clone"), "setpoint.yaml")), run };
    const limits = { concurrency: 1, timeout: 1, attempts: 1 };
    const service = { name: "a", role: "review", type: "gerrit", url: "http://a", wire: "product", limits } as const;
    const taking = leased(locks, async () => repository, ref).take([service], other, {
      wait: 5 * minute,
      clock,
      signal: new AbortController().signal,
    });
    expect(await problemsOf(taking)).toMatchObject([{ code: "SP5006" }]);
    expect([releases, now - start]).toEqual([1, 5 * minute]);
  });

  const notOurs: readonly (readonly [what: string, message: string])[] = [
    ["another subject", leaseText().replace("setpoint lease", "Fix \u001b[2J the build ##vso[task.complete]")],
    ["a subject alone", "setpoint lease\n\n"],
    ["a holder that paints a terminal", leaseText({ holder: "\u001b[2Jadmin" })],
    ["a holder that runners obey", leaseText({ holder: "##vso[task.complete result=Succeeded]" })],
    ["a holder that is read backwards", leaseText({ holder: "a\u202eb" })],
    ["a run of several lines", leaseText({ run: "r\n::set-env name=A::b" })],
    ["no moment", leaseText({ expires: "tomorrow" })],
    ["another field", leaseText({ more: "::set-env" })],
    ["too much", leaseText({ more: "x".repeat(100_000) })],
  ];

  test("is never seen in a commit of someone else", async () => {
    await using remote = await openRemote();
    const place = await remote.place(virtualClock(start));
    for (const [what, message] of notOurs) {
      const id = remote.put(message);
      expect(await place.look(), what).toEqual({ is: "strange", id });
    }
    const id = remote.put(leaseText());
    expect(await place.look()).toEqual({ is: "lease", id, lease: foreign });
  });

  test.each([
    ["a commit of someone else", undefined],
    ["an end in years", "2036-11-22T08:00:00Z"],
    ["an end in hours", "2026-11-22T10:00:00Z"],
  ])("is never taken from %s, which is named and not shown, even if it is waited for", async (_what, expires) => {
    const remote = remoteInMemory();
    const clock = virtualClock(start);
    const id = remote.put(expires === undefined ? undefined : { ...foreign, expires });
    const [problem] = await problemsOf(takeLease(remote.place, claim, waitingOn(clock, { wait: 10 * minute })));
    expect(problem).toMatchObject({ code: "SP5006", hint: expect.stringContaining(id) });
    expect(remote.id()).toBe(id);
  });

  test("needs a full ref, a remote, and the right to push", async () => {
    await using remote = await openRemote();
    const clock = virtualClock(start);
    const repository = await remote.clone();
    for (const name of ["lease", "refs/lease", "refs/x/..", "--all"])
      expect(await problemsOf(openLeaseRef(repository, name, clock))).toMatchObject([{ code: "SP5002" }]);
    writeFileSync(join(remote.bare, "hooks/pre-receive"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    expect(await problemsOf(takeLease(await remote.place(clock), claim, waitingOn(clock)))).toMatchObject([
      { code: "SP5002", hint: expect.stringContaining("allowed") },
    ]);
    await repository.run(["config", "--unset", "remote.origin.url"]);
    expect(await problemsOf(openLeaseRef(repository, ref, clock))).toMatchObject([
      { code: "SP5002", message: expect.stringContaining("no remote origin") },
    ]);
  });
});

describe("an apply with a lease", () => {
  const page = document("WikiPage", { id: "48213", title: "Lease" });
  const all = [
    page,
    document("WikiPage", { id: "48377", title: "Another" }),
    document("ActionsPermission", { org: "meridian-kites", repo: "website", enabled: false }),
  ].join("");

  const writesOf = (lab: Lab) => lab.asked().filter((name) => /^(?:set|update|put)/.test(name));

  /** Two machines with a lab. */
  async function openMachines(clock = virtualClock(start)) {
    const remote = await openRemote();
    const lab = await openLab();
    const repositories = [await remote.clone(), await remote.clone()] as const;
    return {
      remote,
      lab,
      clock,
      road: (index: 0 | 1, more: Parameters<typeof lab.another>[0] = {}) =>
        lab.another({ lease: ref, repository: async () => repositories[index], clock, ...more }),
      async [Symbol.asyncDispose]() {
        await lab[Symbol.asyncDispose]();
        await remote[Symbol.asyncDispose]();
      },
    };
  }

  test("is refused before anything is sent while another machine holds it, and releases its own at the end", async () => {
    await using machines = await openMachines();
    const refused: Problem[][] = [];
    const turn = async () => {
      refused.push([...(await problemsOf(machines.road(1).apply(all)))]);
    };
    const report = await machines.road(0, { turn }).apply(all);
    expect(report.outcomes.map(({ result }) => result)).toEqual(report.calls.map(() => "applied"));
    expect(refused).toHaveLength(report.calls.length);
    for (const problems of refused) expect(problems).toMatchObject([{ code: "SP5006" }]);
    expect(writesOf(machines.lab)).toHaveLength(report.calls.length);
    expect(machines.remote.id()).toBe("");
  });

  test("that can create it but not delete it says so, until when others wait, and how to delete it", async () => {
    await using machines = await openMachines();
    const { bare } = machines.remote;
    const hook = "#!/bin/sh\ncase $3 in *[!0]*) ;; *) exit 1 ;; esac\n";
    writeFileSync(join(bare, "hooks/update"), hook, { mode: 0o755 });
    const report = await machines.road(0).apply(page);
    expect(report.outcomes).toMatchObject([{ result: "applied" }]);
    const delete_ = `git push origin --force-with-lease=${ref}:${machines.remote.id()} :${ref}`;
    expect(report.problems).toMatchObject([{ code: "SP5002", hint: expect.stringContaining(delete_) }]);
    expect(report.problems?.[0]?.message).toMatch(
      /could not be deleted, .*before 2026-11-22 08:11 UTC\. git: .*hook declined/,
    );
    expect(await problemsOf(machines.road(1).apply(document("WikiPage", { id: "48377", title: "B" })))).toMatchObject([
      { code: "SP5006" },
    ]);
  });

  test("checks first whether another machine has written since its plan", async () => {
    await using machines = await openMachines();
    const elsewhere = document("WikiPage", { id: "48213", title: "From elsewhere" });
    const planned = Promise.withResolvers<void>();
    const written = Promise.withResolvers<void>();
    const locks = {
      lastRuns: () => new Map<string, string>(),
      async take() {
        planned.resolve();
        await written.promise;
        return { before: new Map<string, string>(), release: async () => undefined };
      },
    };
    const applied = machines.road(0, { locks }).apply(all);
    await planned.promise;
    await machines.road(1).apply(elsewhere);
    written.resolve();
    const { outcomes } = await applied;
    expect(outcomes.filter(({ result }) => result !== "applied")).toMatchObject([
      { address: "wiki/WikiPage/48213", result: "stale", problem: { code: "SP4003" } },
    ]);
    expect(outcomes).toHaveLength(3);
  });

  test("that loses it sends nothing more, says so, verifies what it sent, and leaves the new lease alone", async () => {
    await using machines = await openMachines();
    const { clock, remote } = machines;
    const elsewhere = leaseText({ holder: "other@runner" });
    let calls = 0;
    let losing: Promise<void> | undefined;
    const lose = () => {
      remote.put(elsewhere);
      return clock.pass(2 * minute, isOver);
    };
    const turn = async () => {
      if (calls++ === 0) return;
      losing ??= lose();
      await losing;
    };
    const road = machines.road(0, { turn });
    const report = await road.apply(all);
    expect(pastRun({ name: "run", lines: { entries: road.journal, torn: false, damaged: [] } }).state).toBe("stopped");
    expect(writesOf(machines.lab)).toHaveLength(1);
    expect(report.outcomes.filter(({ result }) => result === "applied")).toHaveLength(1);
    const skipped = report.calls.filter(({ result }) => result === "skipped");
    expect(skipped).toHaveLength(report.calls.length - 1);
    for (const { problem } of skipped)
      expect(problem).toMatchObject({ code: "SP5006", message: expect.stringContaining("other@runner has it now") });
    expect(remote.message().trim()).toBe(elsewhere.trim());
  });

  test("releases it after an interrupt and after a failure", async () => {
    await using machines = await openMachines();
    const interrupt = new AbortController();
    const turn = async () => interrupt.abort();
    const report = await machines.road(0, { turn, stopping: interrupt.signal }).apply(all);
    expect(report.calls.some(({ result }) => result === "skipped")).toBe(true);
    expect(machines.remote.id()).toBe("");
    const killed = machines.road(0, {
      onStep() {
        throw new Error("killed");
      },
    });
    await expect(killed.apply(all)).rejects.toThrow("killed");
    expect(machines.remote.id()).toBe("");
  });
});
