import { type Argument, type Command, Help, type Option } from "commander";
import { neutralJson, neutralText } from "../reports/neutral.ts";

/** The commands in order of use. Those not listed here come last. */
const groups: readonly (readonly [string, readonly string[]])[] = [
  ["First hour:", ["init", "sandbox", "doctor", "import", "validate"]],
  ["Every day:", ["plan", "apply", "drift", "fmt", "graph", "report"]],
  ["Repair:", ["adopt", "ack", "revert", "runs", "history", "call"]],
  ["Many machines:", ["worker", "queue"]],
  ["Reference:", ["kinds", "explain", "completion"]],
];
const order: readonly string[] = groups.flatMap(([, names]) => names);

/** The options of a command that has many, in order of use. Those not listed here come first. */
const optionGroups: readonly (readonly [string, string])[] = [
  ["Selection:", "--service --kind --label --only --affected"],
  ["Manifests:", "--workspace --environment --var --values --trust"],
  ["Safety:", "--accept --max-deletes --max-delete-percent --no-deletes --allow-exec --wait --lease"],
  [
    "Output:",
    "--all --quiet --json --no-color --report --publish --about --fail-on --detailed-exitcode --history --metrics --log",
  ],
  ["Many resources:", "--shard --queue --run"],
];

/** More options than this are shown in groups. */
const manyOptions = 20;

/** The width of help in columns: the terminal's, but wide enough for an option and narrow enough to read at a glance. */
export function helpWidth(columns: number | undefined): number {
  return Math.min(120, Math.max(60, columns || 80));
}

/** The least room in columns for the description of an option, beside the longest option on the narrowest screen. */
const narrowest = 20;

const helper = Object.assign(new Help(), { minWidthToWrap: narrowest });

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
      minWidthToWrap: narrowest,
      optionDescription: described,
      argumentDescription: described,
      commandUsage(command) {
        const room = (this.helpWidth ?? 80) - "Usage: ".length;
        return helper.boxWrap(helper.commandUsage(command), room).replaceAll("\n", "\n  ");
      },
      subcommandTerm: (command) => command.name(),
      visibleCommands: (command) =>
        helper.visibleCommands(command).toSorted((a, b) => placeOf(a.name()) - placeOf(b.name())),
      visibleOptions(command) {
        const options = helper.visibleOptions(command);
        return options.length > manyOptions ? options.toSorted((a, b) => groupOf(a) - groupOf(b)) : options;
      },
      groupItems: (_all, visible, headingOf) => helper.groupItems(visible, visible, headingOf),
    });
}

/** Returns an error of Commander, such as `error: unknown option '--jsn'\n(Did you mean --json?)\n`, in sentences. */
export function commanderSentence(error: string): string {
  const [said = "", meant = ""] = error
    .replace(/^error: /, "")
    .trim()
    .split("\n");
  const sentence = `${said.charAt(0).toUpperCase()}${said.slice(1).replace(/\.$/, "")}.`;
  return `${sentence} ${meant.replace(/^\(|\)$/g, "")}`.trim();
}

/** Makes a command and its subcommands report errors as all others are, with where their options are shown. */
function reportProblems(command: Command, name: string): void {
  const code = "SP5001";
  const hint = `${name} --help shows the ${command.parent === null ? "commands" : "options"}.`;
  command.configureOutput({
    outputError(text, write) {
      const message = commanderSentence(text);
      const width = (process.stderr.columns || Number.POSITIVE_INFINITY) - 4;
      const wrapped = (line: string) => helper.boxWrap(line, width).replaceAll("\n", "\n    ");
      if (!process.argv.includes("--json")) write(`${wrapped(`${code}  ${message}`)}\n  ${wrapped(`Hint: ${hint}`)}\n`);
      else {
        const json = JSON.stringify({ version: 1, problems: [{ code, message, hint }] }, null, 2);
        process.stdout.write(neutralJson(`${json}\n`));
      }
    },
  });
  for (const each of command.commands) reportProblems(each, `${name} ${each.name()}`);
}

/** Puts the added commands into groups, and the options of those that have many. */
export function groupCommands(root: Command): Command {
  reportProblems(root, root.name());
  for (const command of root.commands) {
    const group = groups.find(([, names]) => names.includes(command.name()));
    if (group !== undefined) command.helpGroup(group[0]);
    if (command.options.length > manyOptions)
      for (const option of command.options) option.helpGroup(optionGroups[groupOf(option)]?.[0] ?? "Options:");
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

/** The index of an option's group; -1 for one in none. */
function groupOf({ long }: Option): number {
  return optionGroups.findIndex(([, names]) => names.split(" ").some((name) => name === long));
}

function placeOf(name: string): number {
  const place = order.indexOf(name);
  return place === -1 ? order.length : place;
}

/**
 * A description with its choices, and with its default unless that only says that a flag is off or a list is empty. An option
 * that a command needs says so.
 */
function described(item: Option | Argument): string {
  const { description, defaultValue, argChoices } = item;
  const isShown = typeof defaultValue === "string" || typeof defaultValue === "number";
  const choices = argChoices?.filter((choice) => !description.includes(choice)) ?? [];
  const listed = choices.length === 0 ? description : `${description}: ${choices.join(", ")}`;
  if (isShown) return `${listed} (default: ${defaultValue})`;
  return "mandatory" in item && item.mandatory ? `${listed} (required)` : listed;
}
