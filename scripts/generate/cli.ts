import type { Command } from "commander";
import { program } from "../../src/cli/program.ts";
import { allServices } from "../../src/clients/find-service.ts";
import type { DerivedFile } from "./derived-file.ts";

/** The reference of the command line: what `--help` says of every command. */
export function cliDocs(): DerivedFile {
  const root = program("", async () => {});
  const sections = root.commands.map((command) => `## setpoint ${command.name()}\n\n${fenced(helpOf(command))}`);
  const text = [
    "# The command line",
    "Derived from the commands: what `setpoint --help` and `setpoint <command> --help` say.",
    fenced(helpOf(root)),
    ...sections,
    `## Operations\n\nWhat \`setpoint call\` can send; \`setpoint call --list\` names every one.\n\n${operationCounts()}`,
  ];
  return { path: "docs/cli.md", text: `${text.join("\n\n")}\n` };
}

/** How many operations each role has: of the API documents, and beyond them. */
function operationCounts(): string {
  const rows = allServices.map(({ role, types, operations }) => {
    const all = Object.values(operations);
    const documented = all.filter(({ ext }) => ext === undefined).length;
    return { role, type: types.join(", "), documented, more: all.length - documented };
  });
  const sum = (count: (row: (typeof rows)[number]) => number) => rows.reduce((total, row) => total + count(row), 0);
  return [
    "| role | type | operations | beyond the API documents |",
    "|---|---|---|---|",
    ...rows.map(({ role, type, documented, more }) => `| ${role} | ${type} | ${documented} | ${more} |`),
    `| all | | ${sum(({ documented }) => documented)} | ${sum(({ more }) => more)} |`,
  ].join("\n");
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
