import type { Clock } from "./clock.ts";
import type { Attempt } from "./outcome.ts";

/** Milliseconds without any answer after which requests are no longer sent, and between two that are sent all the same. */
const patience = 60_000;

/** Requests in a row that got no answer in all of their attempts: fewer may be chance. */
const fewest = 3;

/** Whether a service still answers anything. */
export interface Silence {
  /** What becomes of a request that is not worth sending; undefined if it is. */
  refusal(): Attempt | undefined;
  /** Takes in what became of a request in the end. */
  note(attempt: Attempt): void;
}

/**
 * Notices that a service has stopped answering. Each request to it would take all of its attempts, so that a run of hundreds of calls, one
 * after the other, would end hours later with nothing done. One request per minute is still sent: the service may be back.
 */
export function openSilence(origin: string, clock: Pick<Clock, "now">): Silence {
  let unanswered = 0;
  let since = 0;
  let next = 0;
  return {
    refusal() {
      const now = clock.now();
      if (unanswered < fewest || now - since < patience) return undefined;
      if (now >= next) {
        next = now + patience;
        return undefined;
      }
      return {
        is: "unsent",
        problem: {
          code: "SP3101",
          message: `No answer from ${origin} to anything for over a minute, so no more was sent.`,
          hint: "Check that the service is up, then run again.",
        },
      };
    },
    note(attempt) {
      if ("answer" in attempt) unanswered = 0;
      else if (attempt.is !== "final" && unanswered++ === 0) since = clock.now();
    },
  };
}
