import { setTimeout } from "node:timers/promises";

/** Time and chance, injected so that tests neither sleep nor flicker. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after that many milliseconds; rejects when `signal` aborts. */
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** A signal that aborts after that many milliseconds. */
  timeout(milliseconds: number): AbortSignal;
  /** A number from 0 up to 1. */
  random(): number;
}

export const systemClock: Clock = {
  now: Date.now,
  wait: (milliseconds, signal) => setTimeout(milliseconds, undefined, signal === undefined ? {} : { signal }),
  timeout: (milliseconds) => AbortSignal.timeout(milliseconds),
  random: Math.random,
};
