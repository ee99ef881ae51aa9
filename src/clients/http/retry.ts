import type { Effect } from "../../core/operation.ts";
import type { Problem } from "../../core/problem.ts";
import type { Clock } from "./clock.ts";
import type { Root } from "./encode.ts";
import { type Attempt, attemptProblem, isLimit } from "./outcome.ts";
import type { RequestTeller } from "./request-events.ts";
import { longestWait, pauseEnd, retryAfter } from "./retry-after.ts";

export interface RetryRules {
  /** How many times the request is sent at most. */
  readonly attempts: number;
  readonly effect: Effect;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** Once aborted, a write is not sent again. */
  readonly stopping?: AbortSignal | undefined;
  /** Carries out the wait before the next attempt. Default: it only waits. */
  readonly waiting?: RequestTeller["waiting"];
}

const firstBackoff = 500;

/**
 * Sends until an attempt is conclusive, and returns the last one. With a timeout for each attempt, the whole takes at
 * most `attempts * timeout + (attempts - 1) * 30 s`.
 */
export async function sendWithRetries(send: () => Promise<Attempt>, rules: RetryRules): Promise<Attempt> {
  const ends = [rules.signal, rules.effect === "write" ? rules.stopping : undefined].filter((one) => one !== undefined);
  for (let sent = 1; ; sent++) {
    const attempt = await send();
    if (sent >= rules.attempts || ends.some(({ aborted }) => aborted)) return attempt;
    const delay = retryDelay(attempt, sent, rules);
    if (delay === undefined) return attempt;
    try {
      const wait = () => rules.clock.wait(delay, AbortSignal.any(ends));
      await (rules.waiting?.(attempt, delay, wait) ?? wait());
    } catch {
      return attempt;
    }
  }
}

/**
 * Milliseconds to wait before a request that was sent `sent` times is sent again; undefined if it must not be.
 *
 * Any request is repeated if it was not sent, or if a limit refused it. Otherwise a read is repeated after a lost answer
 * or any 5xx except 501, and a write only after a 503 that says when to come back, since it was then not carried out. If
 * a service says when it accepts requests again, the request is repeated then, or never if that is too far off.
 * @see docs/facts.md, across services
 */
export function retryDelay(
  attempt: Attempt,
  sent: number,
  { effect, clock }: Pick<RetryRules, "effect" | "clock">,
): number | undefined {
  const backoff = clock.random() * Math.min(longestWait, firstBackoff * 2 ** (sent - 1));
  switch (attempt.is) {
    case "answered":
    case "final":
      return undefined;
    case "unsent":
      return backoff;
    case "lost":
      return effect === "read" ? backoff : undefined;
    case "failed": {
      const { status, resumes } = attempt.failure;
      if (resumes !== undefined) {
        const delay = Math.max(0, resumes - clock.now());
        return delay <= longestWait ? delay : undefined;
      }
      const asked = retryAfter(attempt.answer, clock.now());
      const refused = isLimit(attempt.failure) || (status === 503 && asked !== undefined);
      const failed = status >= 500 && status !== 501;
      if (!refused && (effect === "write" || !failed)) return undefined;
      return asked === undefined ? backoff : Math.min(asked, longestWait);
    }
  }
}

/** Milliseconds without any answer after which requests are no longer sent, and between two that are sent nevertheless. */
const patience = 60_000;

/** The fewest requests in a row that got no answer in all of their attempts: fewer might be chance. */
const fewest = 3;

/**
 * Sends requests unless the service has stopped answering. Otherwise each would use all of its attempts, and a run of
 * hundreds of sequential calls would end hours later with nothing done. One request per minute is still sent, since the
 * service may be back.
 */
export function silenceOf(origin: string, clock: Pick<Clock, "now">) {
  let unanswered = 0;
  let since = 0;
  let next = 0;
  return async (send: () => Promise<Attempt>): Promise<Attempt> => {
    const now = clock.now();
    // A clock that was set back must not make the minute longer.
    [since, next] = [Math.min(since, now), Math.min(next, now + patience)];
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

/**
 * Sends requests unless the service has refused one in a way that holds for all, for longer than any request is retried:
 * hundreds of failed sign-ins lock an account, and hundreds of requests beyond a limit prolong it. One per minute is still sent.
 * `signsIn`: whether a sign-in can fail.
 * @see docs/facts.md, across services: failed sign-ins
 */
export function refusalGate(clock: Pick<Clock, "now">, signsIn: boolean) {
  let refusal: Problem | undefined;
  let next = 0;
  /** How many more requests may be answered with 401: after a success, one or two may be about their objects. */
  let trust = 1;
  return async (send: () => Promise<Attempt>, root: Root | undefined): Promise<Attempt> => {
    // Another root has other credentials.
    if (root !== undefined) return send();
    next = Math.min(next, clock.now() + patience);
    if (refusal !== undefined && clock.now() < next) return { is: "final", problem: refusal };
    next = clock.now() + patience;
    const attempt = await send();
    if (!("answer" in attempt)) return attempt;
    refusal = undefined;
    if (attempt.is === "answered") {
      trust = fewest;
      return attempt;
    }
    const now = clock.now();
    const { failure, answer } = attempt;
    const isUntrusted = signsIn && failure.status === 401 && --trust <= 0;
    const end = isUntrusted ? Infinity : (pauseEnd(failure, answer, now) ?? now);
    if (end - now > 2 * patience) refusal = attemptProblem(attempt, "read", now);
    next = now + patience;
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
