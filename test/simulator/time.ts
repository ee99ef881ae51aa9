import { setImmediate, setTimeout } from "node:timers/promises";
import type { Clock } from "../../src/clients/http/clock.ts";
import type { Chance } from "./chance.ts";

/** Time that passes only when nothing else is left to do. */
export interface Time {
  now(): number;
  /** Does something after so many milliseconds; what is due at the same time is done in the order of these calls. */
  after(milliseconds: number, act: () => void): void;
  /** The clock of a program. What it waited for does not come once `isOver`. */
  clock(chance: Chance, isOver: () => boolean): Clock;
  /** Lets time pass until a promise is settled. Throws if it never will be. */
  until<Value>(promise: Promise<Value>): Promise<Value>;
}

/** The moment at which every simulation starts. */
const beginning = Date.parse("2026-11-22T08:00:00Z");

/** More than any run of a simulation needs: one that needs more will not end. */
const mostEvents = 20_000;

interface Due {
  readonly at: number;
  readonly act: () => void;
}

export function virtualTime(): Time {
  let now = beginning;
  /** In the order in which they are due. */
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
        // A module that is loaded for the first time comes in real time.
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

/** Node's names for what is under way with a file. */
const fileWork = /^(FSReq|FileHandle|CloseReq)/;

/** Until the program waits for time alone: it has no turn left, and no file under way. */
async function quiet(): Promise<void> {
  do {
    // What a stream puts off until the next turn has a turn too.
    await setImmediate();
    await setImmediate();
  } while (process.getActiveResourcesInfo().some((name) => fileWork.test(name)));
}
