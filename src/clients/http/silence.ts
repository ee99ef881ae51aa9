import type { Problem } from "../../core/problem.ts";
import type { Clock } from "./clock.ts";
import type { Attempt } from "./outcome.ts";

/** Milliseconds without any answer after which requests are no longer sent, and between two that are sent nevertheless. */
const patience = 60_000;

/** The fewest requests in a row that got no answer in all of their attempts: fewer might be chance. */
const fewest = 3;

/**
 * Sends requests unless the service has stopped answering. Otherwise each would use all of its attempts, and a run of
 * hundreds of sequential calls would end hours later with nothing done. One request per minute is still sent, since the
 * service may be back.
 */
export function silenceOf(
  origin: string,
  clock: Pick<Clock, "now">,
): (send: () => Promise<Attempt>) => Promise<Attempt> {
  let unanswered = 0;
  let since = 0;
  let next = 0;
  return async (send) => {
    const now = clock.now();
    if (unanswered >= fewest && now - since >= patience) {
      if (now < next) return { is: "unsent", problem: silent(origin) };
      next = now + patience;
    }
    const attempt = await send();
    if ("answer" in attempt) unanswered = 0;
    else if (attempt.is !== "final" && unanswered++ === 0) since = clock.now();
    return attempt;
  };
}

function silent(origin: string): Problem {
  return {
    code: "SP3101",
    message: `No answer from ${origin} to any request for over a minute, so nothing more was sent.`,
    hint: "Check that the service is up, then run again.",
  };
}
