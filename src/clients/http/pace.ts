import pLimit from "p-limit";
import { onceEach } from "../../core/once.ts";
import type { Service, ServiceLimits } from "../../core/service.ts";
import type { Clock } from "./clock.ts";

/** Sends a request when its turn has come, or immediately after an interrupt, which `send` has to notice. */
export type Pace = <Answer>(send: () => Promise<Answer>, signal?: AbortSignal) => Promise<Answer>;

/** Returns the pace of a service; undefined if it has none. All connections that a pace applies to must share it. */
export type PaceOf = (service: Service) => Pace | undefined;

/** How many requests may hold a place concurrently, and for how many milliseconds after its answer one still holds it. */
export interface Places {
  readonly most: number;
  readonly hold: number;
}

/** Milliseconds. Timers fire up to a millisecond early, and clocks are read in whole milliseconds. */
const margin = 10;

/**
 * Returns the places of a limit. A request holds a place from before it is sent until a second after its answer. Two
 * requests in one place therefore reach the service at least a second apart, however long they take, so it gets no more
 * than the limit in any second. The places of a limit with a fraction are held for a little longer than a second.
 * @see docs/decisions/queue.md
 */
export function placesOf(requestsPerSecond: number): Places {
  const most = Math.ceil(requestsPerSecond);
  return { most, hold: Math.ceil((most / requestsPerSecond) * 1000) + margin };
}

/** Gives out places. */
export interface Gate {
  /** Takes a place, or returns for how many milliseconds none will be free. */
  take(signal?: AbortSignal): Promise<Taken>;
}

export type Taken =
  | { readonly is: "taken"; readonly leave: () => void }
  | { readonly is: "full"; readonly wait: number };

/** Returns a pace that takes the places of a gate, in the order in which requests arrive. */
export function paceBy(gate: Gate, clock: Clock): Pace {
  const inTurn = pLimit(1);
  async function place(signal: AbortSignal | undefined): Promise<() => void> {
    while (signal?.aborted !== true) {
      const taken = await gate.take(signal);
      if (taken.is === "taken") return taken.leave;
      try {
        await clock.wait(taken.wait, signal);
      } catch {
        break;
      }
    }
    return () => {};
  }
  return async (send, signal) => {
    const leave = await inTurn(() => place(signal));
    return send().finally(leave);
  };
}

/** The places of one process. */
function localGate({ most, hold }: Places, clock: Clock): Gate {
  let underWay = 0;
  /** When each place that was left is free again, the earliest first. */
  let free: number[] = [];
  return {
    async take() {
      const now = clock.now();
      // A clock that was set back must not keep a place for longer.
      free = free.map((at) => Math.min(at, now + hold)).filter((at) => at > now);
      // The place of a request under way is free no sooner than its answer has come and the hold is over.
      if (underWay + free.length >= most) return { is: "full", wait: Math.min(hold, (free[0] ?? Infinity) - now) };
      underWay++;
      return {
        is: "taken",
        leave() {
          underWay--;
          free.push(clock.now() + hold);
        },
      };
    },
  };
}

/** The pace of a service in one process; undefined if its limits name none. */
export function localPace({ requestsPerSecond }: ServiceLimits, clock: Clock): Pace | undefined {
  return requestsPerSecond === undefined ? undefined : paceBy(localGate(placesOf(requestsPerSecond), clock), clock);
}

/** The paces of all connections of a process: services at one address share one. */
export function localPaces(clock: Clock): PaceOf {
  return onceEach(
    ({ limits }) => localPace(limits, clock),
    ({ url, limits }) => JSON.stringify([url, limits.requestsPerSecond]),
  );
}
