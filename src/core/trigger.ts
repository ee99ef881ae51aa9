import type { z } from "zod";
import type { Call } from "./call.ts";
import type { Place } from "./resource.ts";
import { isObject, type Json, type JsonObject } from "./text/json.ts";

/** A call that a workspace can have made after a complete apply: what a service offers under a word of `onApplied`. */
export interface Trigger<Spec = unknown, Made extends Call = Call> {
  /** What it does, such as "Starts a job." */
  readonly summary: string;
  /** What an entry of `onApplied` states about it. */
  readonly spec: z.ZodType<Spec>;
  /** The call, which carries nothing. Pure. */
  call(spec: Spec): Made;
}

/** A call that a workspace wants made after a complete apply. Its strings can contain facts of the run. */
export interface StatedTrigger extends Pick<Call, "operation" | "args"> {
  readonly service: string;
  /** Its place in the workspace file. */
  readonly place: Place;
}

/** What a trigger can say about the run, each as `${run.name}`. */
export const triggerFacts = {
  id: "the run, as the report and the journal name it",
  base: "the git ref of `--base`; empty without one",
  changes: "how many changes were applied",
  services: "the services that were changed, comma-separated",
} as const;

/**
 * Replaces the placeholders of the given facts in arguments. Other placeholders stay, and so does `$${`, which escapes
 * `${` until `withRun` has filled in the last fact.
 */
export function withFacts(
  args: JsonObject,
  facts: Readonly<Partial<Record<keyof typeof triggerFacts, string>>>,
): JsonObject {
  const values = new Map<string, string>(Object.entries(facts));
  return inTexts(args, (text) =>
    text.replace(/\$\$\{|\$\{run\.(\w+)\}/g, (found, name: string | undefined) => {
      const value = name === undefined ? undefined : values.get(name);
      return value === undefined ? found : escapedText(value);
    }),
  );
}

/** Returns the arguments as they are sent: with the run, which is the last fact to be known, and with `${` for `$${`. */
export function withRun(args: JsonObject, run: string): JsonObject {
  return inTexts(withFacts(args, { id: run }), (text) => text.replaceAll("$${", () => "${"));
}

/** Escapes text so that nothing in it is a placeholder. */
export function escapedText(text: string): string {
  return text.replaceAll("${", () => "$${");
}

function inTexts(args: JsonObject, change: (text: string) => string): JsonObject {
  const inValue = (value: Json): Json => {
    if (typeof value === "string") return change(value);
    if (Array.isArray(value)) return value.map(inValue);
    return isObject(value) ? inTexts(value, change) : value;
  };
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [change(name), value === undefined ? value : inValue(value)]),
  );
}
