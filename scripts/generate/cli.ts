import type { Command } from "commander";
import { program } from "../../src/cli/program.ts";
import type { DerivedFile } from "./derived-file.ts";

/** The reference of the command line: what `--help` prints for every command. */
export function cliDocs(): DerivedFile {
  const root = program("", async () => {});
  const sections = commandsOf(root, "setpoint").map(([name, command]) => `## ${name}\n\n${fenced(helpOf(command))}`);
  const text = [
    "# The command line",
    "Derived from the commands: the output of `setpoint --help` and `setpoint <command> --help`.",
    fenced(helpOf(root)),
    ...sections,
    "## Operations\n\n[The list of operations](api/operations.md) has everything that `setpoint call` can send.",
  ];
  return { path: "docs/cli.md", text: `${text.join("\n\n")}\n` };
}

/** The commands of a command and their subcommands, in the order of its help, each with its full name. */
function commandsOf(parent: Command, words: string): readonly (readonly [string, Command])[] {
  return parent
    .createHelp()
    .visibleCommands(parent)
    .filter((command) => command.name() !== "help")
    .flatMap((command) => {
      const name = `${words} ${command.name()}`;
      return [[name, command] as const, ...commandsOf(command, name)];
    });
}

function helpOf(command: Command): string {
  let text = "";
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
    getOutHelpWidth: () => 100,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  return text.trim();
}

function fenced(text: string): string {
  return `\`\`\`text\n${text}\n\`\`\``;
}
