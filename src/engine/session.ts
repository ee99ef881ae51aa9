import type { JsonObject } from "../core/json.ts";
import type { AnyReader } from "../core/operation.ts";

/** Requests sent to a service so far, every attempt counted. */
export interface RequestCount {
  readonly reads: number;
  readonly writes: number;
}

/** What the engine needs of a connected service. */
export interface Session {
  /** A fresh reading half of the service's client: equal reads of one reader share a request. */
  reader(): AnyReader;
  /** Sends one operation, and returns when what its row `awaits` has come. Throws `ProblemError`. */
  call(operation: string, args: JsonObject): Promise<unknown>;
  readonly requests: RequestCount;
}

/** The sessions of a run by the service's name. */
export type Sessions = ReadonlyMap<string, Session>;
