import type { Command } from "commander";
import { addManifestOptions, type ManifestOptions } from "../options.ts";

/** Options of `setpoint call` itself; all others are arguments of the operation. */
export interface CallOptions extends ManifestOptions {
  readonly list: boolean;
  /** A file, or `-`. */
  readonly body?: string;
  readonly yes: boolean;
  /** Where a new secret of the answer goes. */
  readonly secretFile?: string;
  readonly help: boolean;
}

/** Adds the options of `call` itself: `--help` is one of them, since it depends on the operation. */
export function addCallOptions(command: Command): Command {
  return addManifestOptions(command)
    .option("--list", "list the operations of all roles", false)
    .option("--body <file>", "read arguments that are not options from a JSON file; - is standard input")
    .option("--secret-file <file>", "write the new secret of the answer to this file, with mode 0600")
    .option("-y, --yes", "do not ask before a write", false)
    .helpOption(false)
    .option("-h, --help", "show this help, or that of the operation", false);
}
