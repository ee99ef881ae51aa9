import type { Effect, Method } from "../../core/operation.ts";
import type { Clock } from "./clock.ts";
import { type Attempt, isLimit, showable } from "./outcome.ts";

/** A request as it is reported: without header fields, body and the values of its query, any of which might be a secret. */
export interface ToldRequest {
  /** The operation's name; `sign-in` if the client signs in by itself. */
  readonly operation: string;
  readonly effect: Effect;
  readonly method: Method;
  /** Encoded, below the service's URL. */
  readonly path: string;
  /** The names in its query. */
  readonly query: readonly string[];
}

/** What happens to a request. */
export type RequestEvent = { readonly service: string; readonly request: ToldRequest } & (
  | { readonly is: "sent"; readonly attempt: number }
  | {
      readonly is: "ended";
      readonly attempt: number;
      /** `failed`: the service reported a failure. Of the others, only a `lost` request might have reached it. */
      readonly result: Attempt["is"] | "refused";
      readonly status?: number | undefined;
      readonly milliseconds: number;
    }
  /** Nothing is sent before `until`, in milliseconds since 1970. `limit`: because the service accepts no more requests. */
  | { readonly is: "waiting"; readonly until: number; readonly limit: boolean }
  | { readonly is: "resumed" }
);

/** Reports what happens to one request. */
export interface RequestTeller {
  sending(send: () => Promise<Attempt>): Promise<Attempt>;
  waiting(attempt: Attempt, milliseconds: number, wait: () => Promise<void>): Promise<void>;
}

/** Returns a listener whose first failure is a warning of the process: what a write did must not be lost with it. */
export function guarded<T>(listener: ((told: T) => void) | undefined): ((told: T) => void) | undefined {
  let hasWarned = false;
  const warn = (error: unknown) => {
    if (!hasWarned) process.emitWarning(error instanceof Error ? error : String(error));
    hasWarned = true;
  };
  // A listener can be asynchronous.
  return listener && ((told) => void new Promise<void>((resolve) => resolve(listener(told))).catch(warn));
}

/** Returns a function that makes the tellers of a service's requests. Without a listener they do nothing. */
export function requestTellers(
  service: string,
  clock: Pick<Clock, "now">,
  listener: ((event: RequestEvent) => void) | undefined,
): (request: Omit<ToldRequest, "query">, secrets: readonly string[]) => RequestTeller {
  const onRequest = guarded(listener);
  if (onRequest === undefined) return () => silent;
  return (request, secrets) => {
    const about = { service, request: toldRequest(request, secrets) };
    let attempt = 0;
    return {
      async sending(send) {
        attempt += 1;
        const began = clock.now();
        const end = (result: Attempt["is"] | "refused", status?: number) =>
          onRequest({ ...about, is: "ended", attempt, result, status, milliseconds: clock.now() - began });
        onRequest({ ...about, is: "sent", attempt });
        try {
          const tried = await send();
          end(tried.is, "answer" in tried ? tried.answer.status : undefined);
          return tried;
        } catch (error) {
          end("refused");
          throw error;
        }
      },
      async waiting(tried, milliseconds, wait) {
        const limit = tried.is === "failed" && isLimit(tried.failure);
        onRequest({ ...about, is: "waiting", until: clock.now() + milliseconds, limit });
        await wait().finally(() => onRequest({ ...about, is: "resumed" }));
      },
    };
  };
}

const silent: RequestTeller = { sending: (send) => send(), waiting: (_attempt, _milliseconds, wait) => wait() };

/** Secrets are looked for only when a listener reads the path or the query, not when it only counts requests. */
function toldRequest(
  { operation, effect, method, path: whole }: Omit<ToldRequest, "query">,
  secrets: readonly string[],
): ToldRequest {
  const shown = (text: string) => showable(text, secrets, longestPath);
  return {
    operation,
    effect,
    method,
    get path() {
      return shown(whole.split("?", 1)[0] ?? "");
    },
    get query() {
      const [, ...query] = whole.split("?");
      return [...new Set(new URLSearchParams(query.join("?")).keys())].map(shown);
    },
  };
}

/** The longest path that is reported, in characters. */
const longestPath = 2000;
