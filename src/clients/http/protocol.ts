import type { z } from "zod";
import type { Operation } from "../../core/operation.ts";
import type { Quota } from "../../core/run/quota.ts";
import type { Service } from "../../core/service.ts";
import type { Credentials } from "../credentials/credentials.ts";
import type { Answer, ReadBody } from "./answer.ts";
import type { Failure } from "./outcome.ts";

/** What is particular to the requests and answers of one role. */
export interface Protocol {
  /** Header fields of every request; credentials are revealed here, or in `fields`. */
  headers(service: Service, credentials: Credentials): Readonly<Record<string, string>>;
  /** Form fields of every request. */
  fields?(credentials: Credentials): Readonly<Record<string, string>>;
  /**
   * The failure that an answer reports; undefined if it is a success. A redirect is a failure whatever this returns,
   * except for writes whose answer is `headers`.
   */
  failure(answer: Answer, now: number): Failure | undefined;
  /** The JSON of a successful answer; undefined if it has none. Throws `ProblemError` SP3003, SP3007, SP3103, SP3104. */
  decode(answer: Answer): unknown;
  /** How answers that `result` decodes are read, if not into memory first. */
  readBody?(result: z.ZodType): ReadBody;
  /** Whether the service expects its cookies back. */
  readonly cookies?: true;
  /** Whether reads are repeated with the entity tag of the last answer. */
  readonly etags?: true;
  /** What an answer says about the service's quota, if anything. */
  quota?(answer: Answer): Quota | undefined;
  /** What requests other than GET also carry, if the service issues something for them. */
  readonly ticket?: Ticket;
}

/** Header fields that a service hands out: read before the first request that needs them, and again if refused. */
export interface Ticket {
  readonly operation: Operation;
  /** Returns the header fields from the answer to `operation`. `session` are those that send back the cookies that it set. */
  headers(answer: Answer, session: Readonly<Record<string, string>>): Readonly<Record<string, string>>;
  /** Whether an answer says that they are not, or no longer, valid; then nothing was carried out. */
  refused(answer: Answer): boolean;
}

/** Basic for a user name with a password, Bearer for a token alone, nothing for a key, which has a header of its own. */
export function authorization(credentials: Credentials): { readonly authorization?: string } {
  switch (credentials.is) {
    case "none":
    case "key":
      return {};
    case "basic": {
      const { username, password } = credentials;
      return { authorization: `Basic ${Buffer.from(`${username}:${password.reveal()}`).toString("base64")}` };
    }
    case "token":
      return { authorization: `Bearer ${credentials.token.reveal()}` };
  }
}
