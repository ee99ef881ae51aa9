import type { IncomingHttpHeaders } from "node:http";
import type { Account } from "./accounts.ts";

/** The body of a request. The bytes of a body that exceeds the sandbox's limit are not kept. */
export interface Content {
  readonly size: number;
  readonly md5: string;
  readonly sha1: string;
  readonly sha256: string;
  readonly bytes: Buffer | undefined;
}

/** A request to one service. `path` is raw and without the service's prefix; `base` is the service's own URL. */
export interface ServiceRequest<State = unknown> {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The content as text; empty if it was not kept. */
  readonly body: string;
  readonly content: Content;
  readonly base: string;
  /** When the request arrived, in milliseconds since 1970. */
  readonly now: number;
  /** What the service holds. */
  readonly state: State;
  /** Who can sign in. */
  readonly accounts: readonly Account[];
}

/** A request that has been routed and authenticated; without an account it is anonymous. */
export interface Asked<State = unknown> extends ServiceRequest<State> {
  readonly params: Readonly<Record<string, string>>;
  readonly account: Account | undefined;
}

/**
 * What an operation answers: a status (default 200), a value to encode, extra header fields, and the parts of the
 * state that it changed.
 */
export interface Answered<State = unknown> {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly changes?: Partial<State>;
}

/**
 * The answers of a service, by the name of the operation. Each is pure: it never changes the given state. Throws `Refusal`
 * if the service refuses.
 */
export type Answers<State> = Readonly<Record<string, (asked: Asked<State>) => Answered<State>>>;

/** A response as it goes over the wire. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}
