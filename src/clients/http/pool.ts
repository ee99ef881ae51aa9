import { setImmediate } from "node:timers/promises";
import { type Attempt, isLimit } from "./outcome.ts";

/** How many requests may be under way concurrently, and how the last ones ended. */
export interface Width {
  /** The largest width that is ever allowed. */
  readonly limit: number;
  readonly width: number;
  /** Requests in a row that the service accepted at this width. */
  readonly taken: number;
  /** How often the width was halved. */
  readonly halved: number;
}

/** Begins at the limit, which the user sets: a service that refuses nothing is not slowed down. */
export function firstWidth(limit: number): Width {
  return { limit, width: limit, taken: 0, halved: 0 };
}

/**
 * Returns the width after a request that began when the width had been halved `began` times. A refusal halves it, once
 * for all requests that were under way together. As many accepted requests in a row as the width increase it by one, up
 * to the limit.
 */
export function widthAfter(before: Width, began: number, isRefused: boolean): Width {
  const { limit, width, taken, halved } = before;
  if (isRefused)
    return began < halved ? before : { limit, width: Math.max(1, Math.floor(width / 2)), taken: 0, halved: halved + 1 };
  if (width === limit) return before;
  return taken + 1 < width ? { ...before, taken: taken + 1 } : { ...before, width: width + 1, taken: 0 };
}

/**
 * Returns a pool that runs attempts in the order in which they arrive, no more concurrently than the service accepts: fewer
 * after a refusal (429, 503), and one more after every round without.
 */
export function adaptivePool(limit: number) {
  let state = firstWidth(limit);
  let underWay = 0;
  let waiting: (() => void)[] = [];
  /** The index of the first entry of `waiting` that is still waiting. Earlier entries are removed in large batches. */
  let first = 0;
  let wanting: (() => void)[] = [];

  const isShort = () => waiting.length - first < limit;

  function next(): void {
    while (underWay < state.width && first < waiting.length) {
      underWay++;
      waiting[first++]?.();
    }
    if (first * 2 > waiting.length) {
      waiting = waiting.slice(first);
      first = 0;
    }
    if (wanting.length === 0 || !isShort()) return;
    const told = wanting;
    wanting = [];
    for (const tell of told) tell();
  }

  async function run(attempt: () => Promise<Attempt>): Promise<Attempt> {
    // Nobody waits while there is room.
    if (underWay < state.width) underWay++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    const began = state.halved;
    try {
      const ended = await attempt();
      // An attempt without an answer says nothing about how many requests the service accepts.
      if ("answer" in ended) state = widthAfter(state, began, isRefusal(ended));
      return ended;
    } finally {
      underWay--;
      next();
    }
  }

  return {
    run,
    /** How many attempts are waiting for their turn, counted up to the limit. */
    waiting: () => Math.min(limit, waiting.length - first),
    /** Resolves when so few attempts are waiting that more should come. */
    async room(): Promise<void> {
      // A read that has just begun may not have arrived here yet.
      await setImmediate();
      if (!isShort()) await new Promise<void>((resolve) => wanting.push(resolve));
    },
  };
}

/** Whether the service says that it accepts no more requests for now. */
function isRefusal(attempt: Attempt): boolean {
  return attempt.is === "failed" && (isLimit(attempt.failure) || attempt.failure.status === 503);
}
