import type { Argument, Command, Option } from "commander";

/** A word that can follow, and what it means. */
export interface Candidate {
  readonly value: string;
  readonly description: string;
}

/** A source of names that only the workspace or the tables of setpoint know. */
export type NameSource = "kinds" | "services" | "addresses" | "operations" | "runs" | "risks" | "formats";

/** What can follow at the cursor: words, files, or the names of a source. */
export interface Wanted {
  readonly of: readonly Candidate[] | NameSource | "files";
  /** What stays in front of every name, such as `--service=`. */
  readonly front?: string;
  /** The words of the command before the cursor that are not options. */
  readonly operands?: readonly string[];
}

const nothing: Wanted = { of: [] };

/** What options and arguments accept, by their names in the help. No words are proposed for the others. */
const byOption: Readonly<Record<string, NameSource>> = { "--service": "services" };
const byPlaceholder: Readonly<Record<string, NameSource | "files">> = {
  Kind: "kinds",
  subject: "kinds",
  service: "services",
  address: "addresses",
  operation: "operations",
  run: "runs",
  risk: "risks",
  "format=file": "formats",
  file: "files",
  folder: "files",
  files: "files",
  path: "files",
  plan: "files",
};

/** Finds out what can follow. `words` are those before the cursor's word, without the program's name. */
export function wantedAfter(root: Command, words: readonly string[], current: string): Wanted {
  const [name, ...rest] = words;
  const help = root.createHelp();
  const commands = help.visibleCommands(root).map(named);
  if (name === undefined) return current.startsWith("-") ? optionsOf(root, []) : { of: commands };
  if (name === "help") return rest.length === 0 ? { of: commands } : nothing;
  const command = root.commands.find((one) => one.name() === name);
  return command === undefined ? nothing : wantedOf(command, rest, current);
}

/** Finds out what can follow the words of a command. */
function wantedOf(command: Command, words: readonly string[], current: string): Wanted {
  const { operands, awaiting, isEnded } = split(command, words);
  const nested = isEnded ? undefined : command.commands.find((one) => one.name() === operands[0]);
  if (nested !== undefined) return wantedOf(nested, words.slice(words.indexOf(nested.name()) + 1), current);
  if (awaiting !== undefined) return valuesOf(awaiting, "", operands, current);
  const equals = /^(--[\w-]+)=/.exec(current);
  const option = equals === null || isEnded ? undefined : command.options.find(({ long }) => long === equals[1]);
  if (option !== undefined) return valuesOf(option, equals?.[0] ?? "", operands, current);
  if (current.startsWith("-") && !isEnded) return optionsOf(command, words);
  // A shell offers words or files, not both. Where a file is wanted too, only a command that was begun is offered.
  const begun = command.commands.filter((one) => current !== "" && one.name().startsWith(current));
  if (operands.length === 0 && begun.length > 0 && !isEnded) return { of: begun.map(named) };
  const { registeredArguments: all } = command;
  const argument = all[operands.length] ?? all.find(({ variadic }) => variadic);
  return argument === undefined ? nothing : valuesOf(argument, "", operands, current);
}

function named(command: Command): Candidate {
  return { value: command.name(), description: command.summary() };
}

/** The words of a command that are not options, and the option whose value is the word at the cursor. */
function split(
  command: Command,
  words: readonly string[],
): { readonly operands: readonly string[]; readonly awaiting?: Option; readonly isEnded: boolean } {
  const operands: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--") return { operands: [...operands, ...words.slice(at + 1)], isEnded: true };
    const option = command.options.find(({ long, short }) => word === long || word === short);
    if (option?.required) {
      if (at + 1 === words.length) return { operands, awaiting: option, isEnded: false };
      at += 1;
    } else if (!word.startsWith("-")) operands.push(word);
  }
  return { operands, isEnded: false };
}

/** The options that can still be given: unused ones, and repeatable ones. */
function optionsOf(command: Command, given: readonly string[]): Wanted {
  const options = command
    .createHelp()
    .visibleOptions(command)
    .filter(({ long, short, defaultValue }) => {
      const isGiven = given.some((word) => word === long || word === short || word.startsWith(`${long}=`));
      return !isGiven || typeof defaultValue === "object";
    });
  return { of: options.map(({ long, description }) => ({ value: long ?? "", description })) };
}

function valuesOf(of: Option | Argument, front: string, operands: readonly string[], current: string): Wanted {
  if (of.argChoices !== undefined) return { of: of.argChoices.map((value) => ({ value, description: "" })), front };
  const long = "long" in of ? of.long : undefined;
  const placeholder = "flags" in of ? /[<[]([^>\].]+)/.exec(of.flags)?.[1] : of.name();
  const source = byOption[long ?? ""] ?? byPlaceholder[placeholder ?? ""];
  if (source === undefined) return nothing;
  // The format is followed by a file.
  const isFile = source === "formats" && current.slice(front.length).includes("=");
  return { of: isFile ? "files" : source, front, operands };
}
