import { type Command, Option } from "commander";
import type { LogForm } from "../terminal/request-log.ts";

/** Options for what a command shows while it runs. */
export interface ScreenChoices {
  readonly quiet?: boolean;
  readonly log?: LogForm;
  readonly watch?: boolean;
  /** False for `--no-cache`. */
  readonly cache?: boolean;
}

/** Adds the options of commands that send requests. */
export function addRequestOptions(command: Command): Command {
  const uncached = command.option("--no-cache", "read everything in full, and keep no answers for the next run");
  return uncached.addOption(
    new Option("--log <form>", "log every request to standard error: text or json, one line each, no secrets").choices([
      "text",
      "json",
    ]),
  );
}

/** Adds `--watch`, for commands that only read and whose result depends on the manifests. */
export function addWatchOption(command: Command): Command {
  return command.option("--watch", "run again whenever a file that was read changes, until Ctrl-C", false);
}

/** Adds `--quiet`, for commands that show more than a person might want to read. */
export function addQuietOption(command: Command): Command {
  return command.option("-q, --quiet", "print only what is wrong, what is refused, and the summary", false);
}
