import { type Clock, systemClock } from "../../src/clients/http/clock.ts";

/** Time that passes only when a test says so. */
export interface VirtualClock extends Clock {
  /**
   * Lets time pass, and resolves once `isThen` accepts the remaining waits, which are given in milliseconds from the new
   * time, the shortest first.
   */
  pass(milliseconds: number, isThen: (waits: readonly number[]) => boolean): Promise<void>;
}

export function virtualClock(start: number): VirtualClock {
  let now = start;
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>();
  const watchers = new Set<() => void>();
  // Whatever was woken acts first.
  const changed = () =>
    setImmediate(() => {
      for (const watch of watchers) watch();
    });
  return {
    ...systemClock,
    now: () => now,
    wait: (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        const sleeper = { at: now + milliseconds, wake: resolve };
        if (signal?.aborted) return reject(signal.reason);
        signal?.addEventListener("abort", () => {
          sleepers.delete(sleeper);
          reject(signal.reason);
          changed();
        });
        sleepers.add(sleeper);
        changed();
      }),
    pass(milliseconds, isThen) {
      now += milliseconds;
      for (const sleeper of sleepers) {
        if (sleeper.at > now) continue;
        sleepers.delete(sleeper);
        sleeper.wake();
      }
      return new Promise((resolve) => {
        const watch = () => {
          const waits = [...sleepers].map(({ at }) => at - now).sort((a, b) => a - b);
          if (!isThen(waits)) return;
          watchers.delete(watch);
          resolve();
        };
        watchers.add(watch);
        changed();
      });
    },
  };
}
