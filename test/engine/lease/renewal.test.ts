import { describe, expect, test } from "vitest";
import { takeLease } from "../../../src/engine/locks/lease.ts";
import type { LeaseRef } from "../../../src/engine/locks/lease-ref.ts";
import { virtualClock } from "../../support/virtual-clock.ts";
import { claim, isOver, isRenewed, minute, remoteInMemory, start, waitingOn } from "./leases.ts";

const isTriedAgain = (waits: readonly number[]) => waits.length === 1 && waits[0] === 20_000;

describe("a lease", () => {
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

  test("that someone removes is lost", async () => {
    const remote = remoteInMemory();
    const clock = virtualClock(start);
    const lease = await takeLease(remote.place, claim, waitingOn(clock));
    await remote.place.swap(remote.id(), "");
    await clock.pass(2 * minute, isOver);
    expect(lease.lost.reason.problems).toMatchObject([{ message: expect.stringContaining("someone removed it") }]);
    await lease.release();
  });
});
