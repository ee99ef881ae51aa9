import { setTimeout as waitFor } from "node:timers/promises";

/** Time and chance, injected so that tests neither sleep nor flicker. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after that many milliseconds; rejects when `signal` aborts. */
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Calls `act` after that many milliseconds, unless the returned function is called first. */
  timeout(milliseconds: number, act: () => void): () => void;
  /** A number from 0 up to 1. */
  random(): number;
}

export const systemClock: Clock = {
  now: Date.now,
  wait: (milliseconds, signal) => waitFor(milliseconds, undefined, { signal }),
  timeout(milliseconds, act) {
    const timer = setTimeout(act, milliseconds);
    return () => clearTimeout(timer);
  },
  random: Math.random,
};
