import { Command } from "commander";
import type { CommandRunner } from "./definitions/definition.ts";
import { addManifestCommands } from "./definitions/manifests.ts";
import { addPastCommands } from "./definitions/past.ts";
import { addPlanCommands } from "./definitions/plans.ts";
import { addReferenceCommands } from "./definitions/reference.ts";
import { addServiceCommands } from "./definitions/services.ts";
import { configureHelp, groupCommands } from "./help.ts";

type Add = (root: Command, run: CommandRunner) => void;

const additions: readonly Add[] = [
  addManifestCommands,
  addPlanCommands,
  addPastCommands,
  addReferenceCommands,
  addServiceCommands,
];

/** Everyday commands, which start faster without the options of the others. */
const daily: ReadonlyMap<string | undefined, Add> = new Map([
  ["validate", addManifestCommands],
  ["plan", addPlanCommands],
  ["apply", addPlanCommands],
  ["drift", addPlanCommands],
]);

/**
 * The command line. Each command loads what it needs when it runs. `asked` is the first argument, if there is one: if it is an
 * everyday command, the others are left out.
 */
export function program(version: string, run: CommandRunner, asked?: string): Command {
  const root = configureHelp(new Command("setpoint"))
    .description("Keeps a company's developer tools as its manifests declare them.")
    .version(version, "-V, --version", "show the version")
    // An operation can have an argument with the name of an option of the program, such as --version.
    .enablePositionalOptions()
    .addHelpText("after", `\nExit codes: ${exitCodeHelp}`);

  const own = daily.get(asked);
  for (const add of own === undefined ? additions : [own]) add(root, run);
  return groupCommands(root);
}

const exitCodeHelp = `0 as desired or plan made, 1 something is wrong,
  2 differences, 3 something unknown or skipped, 4 refused,
  130 stopped by a second Ctrl-C`;
