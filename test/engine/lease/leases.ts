import type { Lease, LeaseRef } from "../../../src/engine/locks/lease-ref.ts";
import type { Waiting } from "../../../src/engine/locks/locks.ts";
import type { VirtualClock } from "../../support/virtual-clock.ts";

export const ref = "refs/setpoint/lease";
export const start = Date.parse("2026-11-22T08:00:00.000Z");
export const minute = 60_000;
export const claim = {
  run: "2026-11-22T080000Z-aaaa",
  command: "apply",
  workspace: "/srv/a",
  since: "2026-11-22T08:00:00Z",
};
export const other = { ...claim, run: "2026-11-22T080000Z-bbbb" };

/**
 * The lease ref of a remote in memory, as every machine sees it. What git does is held by the tests with a remote of git's; what the
 * holders do about it, and when, takes no processes.
 */
export function remoteInMemory() {
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

export function waitingOn(clock: VirtualClock, more: Partial<Waiting> = {}): Waiting {
  return { wait: 0, clock, signal: new AbortController().signal, ...more };
}

/** A lease of another machine. */
export const foreign: Lease = {
  version: 1,
  id: "0123456789abcdef",
  holder: "ci@runner-7",
  run: claim.run,
  since: claim.since,
  expires: new Date(start + 10 * minute).toISOString(),
};

/** The commit message of a lease. */
export function leaseText(changes: Readonly<Record<string, unknown>> = {}): string {
  return `setpoint lease\n\n${JSON.stringify({ ...foreign, ...changes })}\n`;
}

/** Whether nothing is under way except the wait for the next renewal. */
export const isRenewed = (waits: readonly number[]) => waits.length === 1 && waits[0] === 2 * minute;
export const isOver = (waits: readonly number[]) => waits.length === 0;
