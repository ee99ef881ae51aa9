import { type Command, Option } from "commander";
import { addManifestOptions, addNarrowing, type ManifestOptions } from "./options.ts";

/** Options of `setpoint graph`. */
export interface GraphOptions extends ManifestOptions {
  readonly format: "mermaid" | "dot";
  readonly service: readonly string[];
  readonly kind: readonly string[];
  readonly label: readonly string[];
}

export function addGraphOptions(command: Command): Command {
  return addNarrowing(addManifestOptions(command)).addOption(
    new Option("--format <name>", "mermaid or dot (Graphviz)").choices(["mermaid", "dot"]).default("mermaid"),
  );
}
