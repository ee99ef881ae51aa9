import { describe, expect, test } from "vitest";
import type { Problem } from "../../../src/core/problem.ts";
import { leased, takeLease } from "../../../src/engine/locks/lease.ts";
import type { LeaseRef } from "../../../src/engine/locks/lease-ref.ts";
import { problemsOf } from "../../support/lab.ts";
import { virtualClock } from "../../support/virtual-clock.ts";
import { claim, foreign, isOver, isRenewed, minute, other, ref, remoteInMemory, start, waitingOn } from "./leases.ts";

describe("a lease", () => {
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

  test("is not taken by a run that sends nothing", async () => {
    const taken = { before: new Map(), release: async () => undefined };
    const locks = leased({ lastRuns: () => new Map(), take: async () => taken }, () => Promise.reject(), ref);
    expect(await locks.take([], claim, waitingOn(virtualClock(start)))).toBe(taken);
  });
});
