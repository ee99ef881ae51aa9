import { setImmediate, setTimeout } from "node:timers/promises";
import type { Clock } from "../../src/clients/http/clock.ts";
import type { Chance } from "./chance.ts";

/** Time that passes only when nothing else is left to do. */
export interface Time {
  now(): number;
  /** Schedules an act after so many milliseconds. Acts that are due at the same time run in the order of these calls. */
  after(milliseconds: number, act: () => void): void;
  /** Returns the clock of a program. Its waits and timeouts never end once `isOver`. */
  clock(chance: Chance, isOver: () => boolean): Clock;
  /** Lets time pass until a promise settles. Throws if it never will. */
  until<Value>(promise: Promise<Value>): Promise<Value>;
}

/** The moment at which every simulation starts. */
const beginning = Date.parse("2026-11-22T08:00:00Z");

/** More events than any run of a simulation needs: a run that needs more would never end. */
const mostEvents = 20_000;

interface Due {
  readonly at: number;
  readonly act: () => void;
}

export function virtualTime(): Time {
  let now = beginning;
  /** Ordered by due time. */
  const queue: Due[] = [];
  const after = (milliseconds: number, act: () => void) => {
    const at = now + Math.ceil(milliseconds);
    const place = queue.findLastIndex((due) => due.at <= at) + 1;
    queue.splice(place, 0, { at, act });
  };
  return {
    now: () => now,
    after,
    clock: (chance, isOver) => ({
      now: () => now,
      random: () => chance.next(),
      wait: (milliseconds, signal) =>
        new Promise((resolve, reject) => {
          signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
          after(milliseconds, () => isOver() || resolve());
        }),
      timeout(milliseconds, act) {
        let isCancelled = false;
        after(milliseconds, () => isOver() || isCancelled || act());
        return () => {
          isCancelled = true;
        };
      },
    }),
    async until(promise) {
      let isSettled = false;
      let left = mostEvents;
      const settle = () => {
        isSettled = true;
      };
      promise.then(settle, settle);
      for (;;) {
        await quiet();
        // Loading a module for the first time takes real time.
        for (let looks = 0; !isSettled && queue.length === 0 && looks < 2000; looks++) {
          await setTimeout(2);
          await quiet();
        }
        if (isSettled) return promise;
        const due = queue.shift();
        if (due === undefined) throw new Error("Everything waits, and nothing will come.");
        if (left-- === 0) throw new Error(`Not settled after ${mostEvents} events.`);
        now = due.at;
        due.act();
      }
    },
  };
}

/** Matches Node's names for pending work on files. */
const fileWork = /^(FSReq|FileHandle|CloseReq)/;

/** Resolves once the program waits only for time: it has no turn of the event loop and no work on files pending. */
async function quiet(): Promise<void> {
  do {
    // A second turn is for what a stream puts off until the next turn.
    await setImmediate();
    await setImmediate();
  } while (process.getActiveResourcesInfo().some((name) => fileWork.test(name)));
}
