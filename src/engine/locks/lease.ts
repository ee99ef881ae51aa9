import { randomBytes } from "node:crypto";
import type { Clock } from "../../clients/http/clock.ts";
import { type Problem, ProblemError } from "../../core/problem.ts";
import { momentText } from "../../core/text/moment.ts";
import type { Repository } from "../../manifests/sources/repository.ts";
import { type Claim, whoRuns } from "./holder.ts";
import { type FoundLease, type Lease, type LeaseRef, openLeaseRef, wordsOf } from "./lease-ref.ts";
import type { Locks, Waiting } from "./locks.ts";

/*
 * A lease is a commit that a ref of the remote points to. Every step is a push that states what it replaces, so that only one of
 * two runs gets the lease. @see docs/decisions/one-writer.md
 */

/** Milliseconds for which a lease is valid after each renewal. */
const term = 10 * 60_000;

/** Milliseconds between two renewals, and after a failed one. */
const renewal = 2 * 60_000;
const retry = 20_000;

/**
 * Milliseconds before the end of its lease at which a holder stops, and after it that others wait: a margin for calls under way
 * and for clocks that differ.
 */
const margin = 60_000;

/** The longest time that a lease may have left: six times what setpoint writes. */
const longest = 60 * 60_000;

/** Milliseconds between two checks of a lease that is waited for. */
const pause = 10_000;

/** Returns locks that take this machine's locks and a lease on a ref of the remote `origin`, which excludes runs on other machines. */
export function leased(locks: Locks, repository: () => Promise<Repository>, ref: string): Locks {
  return {
    lastRuns: locks.lastRuns,
    async take(services, claim, waiting) {
      const { clock } = waiting;
      const start = clock.now();
      const taken = await locks.take(services, claim, waiting);
      if (services.length === 0) return taken;
      try {
        const place = await openLeaseRef(await repository(), ref, clock);
        const wait = Math.max(0, waiting.wait - (clock.now() - start));
        const lease = await takeLease(place, claim, { ...waiting, wait });
        // The last writer elsewhere is not known here, and it is none of the runs that this machine knows.
        const before = new Map(services.map(({ name }) => [name, `before ${claim.run}`]));
        const release = () => lease.release().finally(taken.release);
        return { before, lost: lease.lost, release };
      } catch (error) {
        await taken.release();
        throw error;
      }
    },
  };
}

/** A lease that is renewed until it is released. */
interface TakenLease {
  /** Aborted once the lease is no longer certain; the reason is a `ProblemError` SP5006. */
  readonly lost: AbortSignal;
  /** Releases the lease. If that fails, the lease expires by itself, and the problem is returned. */
  release(): Promise<Problem | undefined>;
}

/**
 * Takes the lease: immediately if there is none or it has expired, otherwise once it is released. Throws `ProblemError`: SP5006
 * if another run has it, or the ref is not a lease; SP5003 after an interrupt; SP5002 if the remote cannot be reached.
 */
export async function takeLease(place: LeaseRef, claim: Claim, waiting: Waiting): Promise<TakenLease> {
  const { wait, clock, signal, onWaiting } = waiting;
  const deadline = clock.now() + wait;
  let known: string | undefined;
  let refused = 0;
  // Usually there is no lease, and a single push is enough.
  let found: FoundLease = { is: "nothing", id: "" };
  for (;;) {
    if (signal.aborted)
      throw new ProblemError({ code: "SP5003", message: "The run was interrupted while it waited for a lease." });
    const problem = busyProblem(found, place.name, clock.now());
    if (problem === undefined) {
      const held = await leaseFor(place, claim, clock);
      const pushed = await push(place, found, held);
      if (pushed.is === "taken") return keep(place, claim, held, clock);
      if (pushed.now.id === found.id && ++refused > 3) throw notAllowed(place, pushed.error);
      found = pushed.now;
      continue;
    }
    const left = deadline - clock.now();
    if (left <= 0 || found.is !== "lease" || isTooLong(found.lease, clock.now())) throw new ProblemError(problem);
    if (known !== found.lease.run) onWaiting?.(problem);
    known = found.lease.run;
    await clock.wait(Math.min(pause, left), signal).catch(() => {});
    // The remote can be away for a moment, and Ctrl-C also ends git.
    found = await place.look().catch(() => found);
  }
}

type Pushed = { readonly is: "taken" } | { readonly is: "refused"; readonly now: FoundLease; readonly error: unknown };

/** Pushes a lease in place of what was found. */
async function push(place: LeaseRef, found: FoundLease, held: Held): Promise<Pushed> {
  try {
    await place.swap(found.id, held.id);
    return { is: "taken" };
  } catch (error) {
    const now = await place.look().catch(async (unanswered: unknown) => {
      // The result of the push is not known. Nobody should have to wait for a run that has ended.
      await place.swap(held.id, "").catch(() => undefined);
      throw unanswered;
    });
    // The push may have arrived, although its answer did not.
    return now.id === held.id ? { is: "taken" } : { is: "refused", now, error };
  }
}

/** A lease's commit, and the time until which its holder relies on it. */
interface Held {
  readonly id: string;
  readonly until: number;
}

async function leaseFor(place: LeaseRef, { run, since }: Claim, clock: Pick<Clock, "now">): Promise<Held> {
  const expires = clock.now() + term;
  const id = await place.write({
    version: 1,
    id: randomBytes(8).toString("hex"),
    holder: holderName(),
    run,
    since,
    expires: new Date(expires).toISOString(),
  });
  return { id, until: expires - margin };
}

/** Renews a lease until it is released or lost. */
function keep(place: LeaseRef, claim: Claim, first: Held, clock: Waiting["clock"]): TakenLease {
  const ended = new AbortController();
  const lost = new AbortController();
  /** Every commit that may have arrived. */
  const own = new Map([[first.id, first]]);
  let current = first;
  let renewing: Promise<string | undefined> = Promise.resolve(undefined);

  /** Renews the lease once. Returns why the renewal is not confirmed, or undefined if it is. */
  async function renew(): Promise<string | undefined> {
    try {
      const next = await leaseFor(place, claim, clock);
      own.set(next.id, next);
      try {
        await place.swap(current.id, next.id);
        current = next;
        return undefined;
      } catch (error) {
        const found = await place.look();
        const mine = own.get(found.id);
        if (mine === undefined) lost.abort(new ProblemError(lostProblem(place.name, found)));
        current = mine ?? current;
        return mine === next ? undefined : wordsOf(error);
      }
    } catch (error) {
      return wordsOf(error);
    }
  }

  async function renewUntilEnd(): Promise<void> {
    let failure: string | undefined;
    while (!ended.signal.aborted && !lost.signal.aborted) {
      const left = current.until - clock.now();
      if (left <= 0) return lost.abort(new ProblemError(unrenewedProblem(place.name, failure)));
      const due = failure === undefined ? renewal : retry;
      const isOver = await clock.wait(Math.min(due, left), ended.signal).then(
        () => clock.now() >= current.until,
        () => true,
      );
      if (isOver) continue;
      renewing = renew();
      failure = await answerBefore(current.until);
    }
  }

  /** Returns the result of the renewal, or that there was no answer before the lease ends. */
  async function answerBefore(until: number): Promise<string | undefined> {
    const answered = new AbortController();
    const late = clock.wait(until - clock.now(), answered.signal).then(
      () => "The remote origin did not answer.",
      () => undefined,
    );
    return Promise.race([renewing, late]).finally(() => answered.abort());
  }

  const keeping = renewUntilEnd();
  return {
    lost: lost.signal,
    async release() {
      ended.abort();
      await keeping;
      await renewing;
      for (let tries = 1; ; tries++) {
        const failure = await place.swap(current.id, "").then(
          () => undefined,
          (error: unknown) => unreleasedProblem(place, current, error),
        );
        if (failure === undefined) return undefined;
        const found = await place.look().catch(() => undefined);
        const mine = found === undefined ? current : own.get(found.id);
        if (mine === undefined) return undefined;
        if (found === undefined || tries === 3) return failure;
        current = mine;
      }
    },
  };
}

/** Returns why a lease cannot be taken now; undefined if nobody has it. */
function busyProblem(found: FoundLease, ref: string, now: number): Problem | undefined {
  if (found.is === "nothing") return undefined;
  const remove = removing(ref, found.id);
  if (found.is === "strange")
    return {
      code: "SP5006",
      message: `${ref} at origin is not a lease: setpoint did not make ${found.id}.`,
      hint: `Name another ref, or find out who made it and delete it: ${remove}`,
    };
  const { holder, since, run, expires } = found.lease;
  if (Date.parse(expires) + margin <= now) return undefined;
  const who = `${holder} since ${momentText(since)} (run ${run})`;
  if (isTooLong(found.lease, now))
    return {
      code: "SP5006",
      message: `${ref} at origin names a lease of ${who} until ${momentText(expires)}, which is longer than any lease lasts.`,
      hint: `Compare the clocks. If nobody is applying, delete it: ${remove}`,
    };
  return {
    code: "SP5006",
    message: `Another run has the lease ${ref}: ${who}, until ${momentText(expires)} unless it is renewed.`,
    hint: "Wait for it with --wait 12m. A lease of a run that was killed can be taken a minute after it expires.",
  };
}

function isTooLong({ expires }: Lease, now: number): boolean {
  return Date.parse(expires) > now + longest;
}

function lostProblem(ref: string, found: FoundLease): Problem {
  const who = found.is === "lease" ? `${found.lease.holder} has it now (run ${found.lease.run})` : "someone removed it";
  return {
    code: "SP5006",
    message: `The lease ${ref} was lost, so the call was not made: ${who}.`,
    hint: "Plan again.",
  };
}

function unrenewedProblem(ref: string, why = "This machine was suspended, or its clock was changed."): Problem {
  return {
    code: "SP5006",
    message: `The lease ${ref} could not be renewed before it expired, so the call was not made. ${why}`,
    hint: "Plan again once the remote answers.",
  };
}

function notAllowed({ name }: LeaseRef, error: unknown): ProblemError {
  return new ProblemError({
    code: "SP5002",
    message: `The lease ${name} could not be pushed to origin. ${wordsOf(error)}`,
    hint: `The account must be allowed to create, replace and delete ${name}.`,
  });
}

function unreleasedProblem({ name }: LeaseRef, { id, until }: Held, error: unknown): Problem {
  const free = momentText(new Date(until + 2 * margin).toISOString());
  return {
    code: "SP5002",
    message: `The lease ${name} could not be deleted, so other runs cannot take it before ${free}. ${wordsOf(error)}`,
    hint: `The account must be allowed to create, replace and delete ${name}. Delete it now: ${removing(name, id)}`,
  };
}

function removing(ref: string, id: string): string {
  return `git push origin --force-with-lease=${ref}:${id} :${ref}`;
}

/** Returns who runs this process, in characters that are safe wherever they are shown. */
function holderName(): string {
  const neutral = whoRuns().replace(/[^\p{L}\p{N}_.@-]/gu, "_");
  return neutral.replace(/^[^\p{L}\p{N}]+/u, "").slice(0, 100) || "unknown";
}
