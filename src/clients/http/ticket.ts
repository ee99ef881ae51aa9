import { unlessMissing } from "../../core/problem.ts";
import type { Answer } from "./answer.ts";
import type { Attempt } from "./retry.ts";

type Headers = Readonly<Record<string, string>>;

/** Sends with the header fields that the service handed out, and once more with new ones where they are refused. */
export type TicketedSend = (send: (headers: Headers) => Promise<Attempt>) => Promise<Attempt>;

/**
 * Keeps what `fetch` reads for all requests. A service that has no such thing (`ProblemError` SP3005) wants none.
 * Fields that were read together are sent together, so that requests side by side never mix two sessions.
 */
export function ticketedSend(fetch: () => Promise<Headers>, refused: (answer: Answer) => boolean): TicketedSend {
  let kept: Promise<Headers> | undefined;

  function current(): Promise<Headers> {
    kept ??= unlessMissing(fetch()).then(
      (headers = {}) => headers,
      (error: unknown) => {
        kept = undefined;
        throw error;
      },
    );
    return kept;
  }

  return async (send) => {
    const used = current();
    const attempt = await send(await used);
    if (attempt.is !== "failed" || !refused(attempt.answer)) return attempt;
    if (kept === used) kept = undefined;
    return send(await current());
  };
}
