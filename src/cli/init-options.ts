import type { Command } from "commander";
import { addOutputOptions, append } from "./options.ts";

/** Options of `setpoint init`, whose argument is a folder. */
export interface InitOptions {
  /** As `name=product:address`. */
  readonly service: readonly string[];
  readonly import: boolean;
  readonly yes: boolean;
  readonly json: boolean;
  /** False for `--no-color`. */
  readonly color: boolean;
}

export function addInitOptions(command: Command): Command {
  return addOutputOptions(
    command
      .option(
        "--service <name=product:address>",
        "a service of the workspace (repeatable); nothing is asked then",
        append,
        [],
      )
      .option("--import", "import what the services have, if their credentials are set", false)
      .option("-y, --yes", "do not ask", false),
  );
}
