import { parseCookie } from "undici";
import { unlessMissing } from "../../core/problem.ts";
import { type Answer, header } from "./answer.ts";
import type { Attempt } from "./outcome.ts";

/** Cookies of one origin, by name. */
export interface CookieJar {
  /** Keeps what an answer sets and drops what it expires. */
  store(answer: Answer, now: number): void;
  /** The header to send, if there is a cookie. */
  header(): { readonly cookie?: string };
}

export function cookieJar(): CookieJar {
  const cookies = new Map<string, string>();
  return {
    store(answer, now) {
      for (const line of [answer.headers["set-cookie"] ?? []].flat()) {
        const cookie = parseCookie(line);
        if (cookie === null) continue;
        const expired = cookie.maxAge === undefined ? Number(cookie.expires ?? Infinity) <= now : cookie.maxAge <= 0;
        if (expired) cookies.delete(cookie.name);
        else cookies.set(cookie.name, cookie.value);
      }
    },
    header: () =>
      cookies.size === 0 ? {} : { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
  };
}

/** Answers that carried an entity tag, by the requested path. */
export interface EtagMemory {
  /** The header that requests the answer only if it has changed. */
  header(path: string): { readonly "if-none-match"?: string };
  /** Remembers an answer, or returns the remembered one if the service says it has not changed. */
  recall(path: string, answer: Answer): Answer;
}

/** Remembers for as long as it is kept itself. @see docs/facts.md, hosting: such an answer costs no quota */
export function etagMemory(): EtagMemory {
  const answers = new Map<string, { readonly etag: string; readonly answer: Answer }>();
  return {
    header(path) {
      const known = answers.get(path);
      return known === undefined ? {} : { "if-none-match": known.etag };
    },
    recall(path, answer) {
      if (answer.status === 304) return answers.get(path)?.answer ?? answer;
      const etag = header(answer, "etag");
      if (answer.status === 200 && etag !== undefined) answers.set(path, { etag, answer });
      return answer;
    },
  };
}

type Headers = Readonly<Record<string, string>>;

/** Sends with the header fields that the service handed out, and once more with new ones if they are refused. */
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
