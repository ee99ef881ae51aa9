import { type Argument, type Command, Help, type Option } from "commander";
import { neutralText } from "../reports/neutral.ts";

/** The commands in order of use. Those not listed here come last. */
const groups: readonly (readonly [string, readonly string[]])[] = [
  ["First hour:", ["init", "sandbox", "doctor", "import", "validate"]],
  ["Every day:", ["plan", "apply", "drift", "fmt", "graph", "report"]],
  ["Repair:", ["adopt", "ack", "revert", "runs", "history", "call"]],
  ["Many machines:", ["worker", "queue"]],
  ["Reference:", ["kinds", "explain", "completion"]],
];
const order: readonly string[] = groups.flatMap(([, names]) => names);

/** The width of help in columns: the terminal's, but wide enough for an option and narrow enough to read at a glance. */
export function helpWidth(columns: number | undefined): number {
  return Math.min(120, Math.max(80, columns ?? 80));
}

/** Configures the layout and output of help. Call it before adding commands, because they inherit it. */
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

/** Puts the added commands into groups. */
export function groupCommands(root: Command): Command {
  for (const command of root.commands) {
    const group = groups.find(([, names]) => names.includes(command.name()));
    if (group !== undefined) command.helpGroup(group[0]);
  }
  return root
    .commandsGroup("Reference:")
    .helpCommand("help [command]", "show the help of a command")
    .addHelpText("before", () => {
      // Commander shows this help for an unknown command instead of reporting it.
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

/** A description with its choices, and with its default unless that only says that a flag is off or a list is empty. */
function described({ description, defaultValue, argChoices }: Option | Argument): string {
  const isShown = typeof defaultValue === "string" || typeof defaultValue === "number";
  const choices = argChoices?.filter((choice) => !description.includes(choice)) ?? [];
  const listed = choices.length === 0 ? description : `${description}: ${choices.join(", ")}`;
  return isShown ? `${listed} (default: ${defaultValue})` : listed;
}
