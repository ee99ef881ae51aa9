import type { IncomingHttpHeaders } from "node:http";
import type { Account } from "./accounts.ts";
import type { Refusal } from "./refusal.ts";
import type { Route } from "./route.ts";
import type { World } from "./world.ts";

/** What a request's body was. Beyond the sandbox's limit the bytes themselves are not kept. */
export interface Content {
  readonly size: number;
  readonly sha1: string;
  readonly sha256: string;
  readonly bytes: Buffer | undefined;
}

/** A request to one service. `path` is raw and without the service's prefix; `base` is the service's own URL. */
export interface ServiceRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The content as text; empty where it was not kept. */
  readonly body: string;
  readonly content: Content;
  readonly base: string;
  /** When the request came, in milliseconds since 1970. */
  readonly now: number;
}

/** A request that was routed and whose sender is known; without an account it is anonymous. */
export interface Asked extends ServiceRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly account: Account | undefined;
}

/**
 * What an operation answers: a status (200 unless said), a value to encode, header fields of its own, and the world if it
 * changed.
 */
export interface Answered {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly world?: World;
}

/** One operation. Pure: it never changes the world it is given, and throws `Refusal` where the service refuses. */
export type Answer = (world: World, asked: Asked) => Answered;

/** What goes over the wire. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** A stand-in for one service: its operations, and how it tells who asks and words what it answers. */
export interface StandIn {
  readonly routes: readonly Route[];
  readonly answers: Readonly<Record<string, Answer>>;
  /** A plus in a path stands for a space. */
  readonly plusIsSpace?: true;
  /** Whether some operations take a file as body, of any size. */
  readonly takesFiles?: true;
  /** Who asks; undefined is anonymous. Throws `Refusal` for credentials that are wrong, or missing where needed. */
  identify(world: World, request: ServiceRequest): Account | undefined;
  encode(world: World, answered: Answered, request: ServiceRequest): Reply;
  refuse(world: World, refusal: Refusal, request: ServiceRequest): Reply;
}
