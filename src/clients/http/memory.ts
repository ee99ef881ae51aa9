import { isUtf8 } from "node:buffer";
import { parseCookie } from "undici";
import type { Operation } from "../../core/operation.ts";
import { unlessMissing } from "../../core/problem.ts";
import type { Service } from "../../core/service.ts";
import { type Answer, header } from "./answer.ts";
import type { Root } from "./encode.ts";
import type { Attempt } from "./outcome.ts";

/** Cookies of one origin, by name. */
export function cookieJar() {
  const cookies = new Map<string, string>();
  return {
    /** Keeps the cookies that an answer sets and drops those that it expires. */
    store(answer: Answer, now: number): void {
      for (const line of [answer.headers["set-cookie"] ?? []].flat()) {
        const cookie = parseCookie(line);
        if (cookie === null) continue;
        const expired = cookie.maxAge === undefined ? Number(cookie.expires ?? Infinity) <= now : cookie.maxAge <= 0;
        if (expired) cookies.delete(cookie.name);
        else cookies.set(cookie.name, cookie.value);
      }
    },
    /** The header to send, if there is a cookie. */
    header: (): { readonly cookie?: string } =>
      cookies.size === 0 ? {} : { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
  };
}

/** What is kept of an answer with an entity tag: its text, and the header fields needed to read it. */
export interface Reading {
  readonly etag: string;
  readonly type: string | undefined;
  readonly link: string | undefined;
  readonly body: string;
}

/** Keeps readings by the requested path: a `Map`, or a store that outlives the process. */
export interface ReadingStore {
  get(path: string): Reading | undefined;
  set(path: string, reading: Reading): unknown;
  delete(path: string): unknown;
}

/**
 * Returns the store of an account. `asked`, the header fields of all its requests, distinguishes it from other accounts
 * and versions.
 */
export type ReadingsOf = (account: { readonly service: Service; readonly asked: Headers }) => ReadingStore;

/**
 * Answers that carried an entity tag, by the requested path.
 * @see docs/facts.md, hosting: a request with a current ETag costs no quota; docs/decisions/readings.md
 */
export function etagMemory(store: ReadingStore = new Map()) {
  return {
    forget: (path: string) => void store.delete(path),
    ask(path: string) {
      const known = store.get(path);
      return {
        /** Asks for the answer only if it has changed. */
        header: known === undefined ? {} : { "if-none-match": known.etag },
        /** Keeps an answer, or returns the kept one if the service says that it has not changed. */
        recall(answer: Answer): Answer {
          if (answer.status === 304) return known === undefined ? answer : recalled(known);
          const etag = header(answer, "etag");
          if (answer.status === 200 && etag !== undefined && isKept(answer))
            store.set(path, {
              etag,
              type: header(answer, "content-type"),
              link: header(answer, "link"),
              body: answer.body.toString("utf8"),
            });
          return answer;
        },
      };
    },
  };
}

/** The longest body that is kept, in bytes. */
const longestKept = 2 ** 20;

/** Whether the whole body is in memory, and can be kept as text without changing a byte. */
function isKept({ body, decoded }: Answer): boolean {
  return decoded === undefined && body.length <= longestKept && isUtf8(body);
}

function recalled({ etag, type, link, body }: Reading): Answer {
  return { status: 200, headers: { etag, "content-type": type, link }, body: Buffer.from(body), recalled: true };
}

/**
 * Whether answers to an operation are kept by path. The operation must read text from the service's own root, depend on
 * nothing but its path, and name no secret.
 */
export function isRemembered({ effect, method, answer, headers, secrets }: Operation, root: Root | undefined): boolean {
  const isText = answer === undefined || answer === "json" || answer === "text";
  const isAlone = root === undefined && headers === undefined && secrets === undefined;
  return effect === "read" && method === "GET" && isText && isAlone;
}

type Headers = Readonly<Record<string, string>>;

/**
 * Returns a function that sends with the header fields that the service handed out, and once more with new ones if they are
 * refused. Keeps what `fetch` reads for all requests. A service that has no such fields (`ProblemError` SP3005) needs none.
 * Fields that were read together are sent together, so that concurrent requests never mix two sessions.
 */
export function ticketedSend(fetch: () => Promise<Headers>, refused: (answer: Answer) => boolean) {
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

  return async (send: (headers: Headers) => Promise<Attempt>): Promise<Attempt> => {
    const used = current();
    const attempt = await send(await used);
    if (attempt.is !== "failed" || !refused(attempt.answer)) return attempt;
    if (kept === used) kept = undefined;
    return send(await current());
  };
}
