import type { Credentials } from "../../src/clients/credentials/credentials.ts";
import type { JsonObject } from "../../src/core/text/json.ts";
import type { Part } from "../support/worlds/parts.ts";

/** What the tests of all services need to know about one of them. */
export interface ServiceExample {
  /** A read and its answers as the service writes them. */
  readonly exchange: Exchange;
  /** A write with source text of arguments that it accepts, and of the same without a required one. */
  readonly typed: { readonly write: string; readonly args: string; readonly less: string };
  /**
   * The words after `setpoint call <service> <operation>`, for every operation, in the world of the invented company.
   * Words in braces are replaced by values that have spaces or are known only at run time: see `wordsOf` in test/cli/call/call.test.ts.
   */
  readonly calls: Readonly<Record<string, string>>;
  /** What the laws for all kinds know about its kinds. */
  readonly parts?: readonly Part[];
}

interface Exchange {
  readonly credentials: Credentials;
  readonly read: readonly [operation: string, args: JsonObject];
  readonly method: "GET" | "POST";
  readonly path: string;
  error(status: number, message: string): { readonly body: string; readonly type: string };
  readonly success: { readonly body: string; readonly type: string };
}
