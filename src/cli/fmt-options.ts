import type { Command } from "commander";
import { addManifestOptions, type ManifestOptions } from "./options.ts";

/** Options of `setpoint fmt`, whose arguments are paths. */
export interface FmtOptions extends ManifestOptions {
  readonly check: boolean;
}

export function addFmtOptions(command: Command): Command {
  return addManifestOptions(command).option("--check", "write nothing, and exit with 1 if a file would change", false);
}
