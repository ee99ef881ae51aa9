import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Problem } from "../../../src/core/problem.ts";
import { pastRun } from "../../../src/engine/journal/past-runs.ts";
import { leased, takeLease } from "../../../src/engine/locks/lease.ts";
import { openLeaseRef } from "../../../src/engine/locks/lease-ref.ts";
import type { Locks } from "../../../src/engine/locks/locks.ts";
import { openRepository, type Repository } from "../../../src/manifests/sources/repository.ts";
import { type Lab, openDirectLab, problemsOf } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";
import { virtualClock } from "../../support/virtual-clock.ts";
import { claim, foreign, isOver, leaseText, minute, other, ref, start, waitingOn } from "./leases.ts";
import { copyOf, makeRemote } from "./remote.ts";

let made: Awaited<ReturnType<typeof makeRemote>>;
beforeAll(async () => {
  made = await makeRemote();
});
afterAll(() => made[Symbol.asyncDispose]());

const openRemote = () => copyOf(made);

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

  test("is seen in a commit of a run, and not in one of someone else", async () => {
    await using remote = await openRemote();
    const place = await remote.place(virtualClock(start));
    const strange = remote.put(leaseText().replace("setpoint lease", "Fix the build"));
    expect(await place.look()).toEqual({ is: "strange", id: strange });
    const id = remote.put(leaseText());
    expect(await place.look()).toEqual({ is: "lease", id, lease: foreign });
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
    const lab = await openDirectLab();
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
