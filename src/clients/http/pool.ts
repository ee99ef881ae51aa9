import { setImmediate } from "node:timers/promises";
import { type Attempt, isLimit } from "./outcome.ts";

/** How many requests may be under way at once, and what has become of the last ones. */
export interface Width {
  /** The most that there may ever be. */
  readonly limit: number;
  readonly width: number;
  /** Requests in a row that the service took at this width. */
  readonly taken: number;
  /** How often the width was halved. */
  readonly halved: number;
}

/** Begins at the limit, which is the user's: a service that is content is not kept waiting. */
export function firstWidth(limit: number): Width {
  return { limit, width: limit, taken: 0, halved: 0 };
}

/**
 * The width after a request that began when it had been halved `began` times. A refusal halves it, once for all requests that
 * were under way together; as many taken requests as fit in at once make it wider by one, up to the limit.
 */
export function widthAfter(before: Width, began: number, isRefused: boolean): Width {
  const { limit, width, taken, halved } = before;
  if (isRefused)
    return began < halved ? before : { limit, width: Math.max(1, Math.floor(width / 2)), taken: 0, halved: halved + 1 };
  if (width === limit) return before;
  return taken + 1 < width ? { ...before, taken: taken + 1 } : { ...before, width: width + 1, taken: 0 };
}

/** Runs attempts in the order in which they came, no more at once than the service takes. */
export interface Pool {
  run(attempt: () => Promise<Attempt>): Promise<Attempt>;
  /** How many attempts wait for their turn, of as many as there may ever be at once. */
  waiting(): number;
  /** Returns when so few attempts wait that more should come. */
  room(): Promise<void>;
}

/** A pool that makes room for fewer requests after a refusal (429, 503), and for one more after every round without. */
export function adaptivePool(limit: number): Pool {
  let state = firstWidth(limit);
  let underWay = 0;
  let waiting: (() => void)[] = [];
  /** The first of `waiting` that still waits: what has left is cut off in large pieces. */
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
      // What got no answer says nothing about how many the service takes.
      if ("answer" in ended) state = widthAfter(state, began, isRefusal(ended));
      return ended;
    } finally {
      underWay--;
      next();
    }
  }

  return {
    run,
    waiting: () => Math.min(limit, waiting.length - first),
    async room() {
      // Who has just begun to read may not have come here yet.
      await setImmediate();
      if (!isShort()) await new Promise<void>((resolve) => wanting.push(resolve));
    },
  };
}

/** Whether the service says that it takes no more requests for now. */
function isRefusal(attempt: Attempt): boolean {
  return attempt.is === "failed" && (isLimit(attempt.failure) || attempt.failure.status === 503);
}
