import type { Command } from "commander";
import type { OpenOptions } from "../../setpoint.ts";
import { ofForm } from "./options.ts";

/** The option that names a queue. */
export interface QueueChoice {
  /** A URL, or true for the URL in the environment. */
  readonly queue?: string | true;
}

/** The options to have workers read for `plan` and `drift`. */
export interface SpreadChoices extends QueueChoice {
  readonly run?: string;
}

const place = "redis://host:port (default: SETPOINT_QUEUE)";

export function addQueueOption(command: Command, what = "the queue"): Command {
  return command.option("--queue [url]", `${what} at ${place}`);
}

/** Adds the options to have workers read. */
export function addSpreadOptions(command: Command): Command {
  return addQueueOption(command, "have setpoint worker read the services, over the queue").option(
    "--run <name>",
    "with --queue: continue the run of this name, for up to a day",
    ofForm(/^[\w.-]{1,100}$/, "a name of letters, digits, dots, - and _, such as nightly-2027-01-13"),
  );
}

/** The queue options of a command line. A plan, which someone waits for, goes before a nightly drift. */
export function spreadOf(command: "plan" | "drift", { queue, run }: SpreadChoices): Pick<OpenOptions, "queue"> {
  if (queue === undefined) return {};
  return { queue: { url: urlOf({ queue }), run, isUrgent: command === "plan" } };
}

/** The URL of a queue; undefined for the URL in the environment. */
export function urlOf({ queue }: QueueChoice): string | undefined {
  return typeof queue === "string" ? queue : undefined;
}
