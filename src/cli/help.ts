import { type Argument, type Command, Help, type Option } from "commander";
import { neutralText } from "../reports/neutral.ts";

/** The commands in order of use. What is not listed here comes last. */
const groups: readonly (readonly [string, readonly string[]])[] = [
  ["First hour:", ["init", "sandbox", "doctor", "import", "validate"]],
  ["Every day:", ["plan", "apply", "drift", "fmt", "graph", "report"]],
  ["Repair:", ["adopt", "ack", "revert", "runs", "history", "call"]],
  ["Many machines:", ["worker", "queue"]],
  ["Reference:", ["kinds", "explain", "completion"]],
];
const order: readonly string[] = groups.flatMap(([, names]) => names);

/** Columns of help: a terminal's, but no less than fit an option, and no more than a person reads at a glance. */
export function helpWidth(columns: number | undefined): number {
  return Math.min(120, Math.max(80, columns ?? 80));
}

/** How help is laid out and where it goes; before commands are added, so that each has it. */
export function configureHelp(root: Command): Command {
  return root
    .helpOption("-h, --help", "show this help")
    .configureOutput({
      writeErr: (text) => process.stderr.write(neutralText(text)),
      getOutHelpWidth: () => helpWidth(process.stdout.columns),
      getErrHelpWidth: () => helpWidth(process.stderr.columns),
    })
    .configureHelp({
      optionDescription: described,
      argumentDescription: described,
      subcommandTerm: (command) => command.name(),
      visibleCommands: (command) =>
        new Help().visibleCommands(command).toSorted((a, b) => placeOf(a.name()) - placeOf(b.name())),
      groupItems: (_all, visible, groupOf) => new Help().groupItems(visible, visible, groupOf),
    });
}

/** Puts the commands that were added into groups. */
export function groupCommands(root: Command): Command {
  for (const command of root.commands) {
    const group = groups.find(([, names]) => names.includes(command.name()));
    if (group !== undefined) command.helpGroup(group[0]);
  }
  return root
    .commandsGroup("Reference:")
    .helpCommand("help [command]", "show the help of a command")
    .addHelpText("before", () => {
      // Of a command that it does not know, commander shows this help instead of saying so.
      const [first, second] = root.args;
      const asked = first === "help" ? second : first;
      if (asked !== undefined && !/^(-|help$)/.test(asked)) root.parse([asked], { from: "user" });
      return "";
    });
}

function placeOf(name: string): number {
  const place = order.indexOf(name);
  return place === -1 ? order.length : place;
}

/** Shows a default only if it is informative: not that a flag is off or a list empty. */
function described({ description, defaultValue, argChoices }: Option | Argument): string {
  const isShown = typeof defaultValue === "string" || typeof defaultValue === "number";
  const choices = argChoices?.filter((choice) => !description.includes(choice)) ?? [];
  const listed = choices.length === 0 ? description : `${description}: ${choices.join(", ")}`;
  return isShown ? `${listed} (default: ${defaultValue})` : listed;
}
