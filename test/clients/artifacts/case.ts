import type { JsonObject } from "../../../src/core/text/json.ts";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";

/** One call and its results. */
export interface Case {
  readonly args: JsonObject;
  /** What the call returns. */
  readonly gives: unknown;
  /** The state after the call: where to look, and the value found there. */
  readonly leaves?: readonly [look: (artifacts: ReturnType<Sandbox["state"]>["artifacts"]) => unknown, value: unknown];
}
