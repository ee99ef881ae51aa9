import { readFileSync } from "node:fs";
import { type Command, CommanderError } from "commander";
import { parse } from "shell-quote";
import { program } from "../../src/cli/program.ts";

/**
 * A step that a page shows: a script with its exit code, its output, or a file. A hidden script does what happens
 * meanwhile.
 */
export type Step = { readonly line: number } & (
  | { readonly is: "script"; readonly text: string; readonly exits: number }
  | { readonly is: "printed"; readonly text: string }
  | { readonly is: "file"; readonly path: string; readonly text: string }
);

/**
 * Returns the steps of a page: its blocks ` ```sh`, which exit with 0 unless they say ` ```sh exits=2`; its blocks ` ```text`, the output
 * of the script before; its blocks ` ```yaml file=path`; and the hidden scripts `<!-- sh: … -->`.
 */
export function stepsOf(page: string): readonly Step[] {
  const text = readFileSync(page, "utf8");
  const parts = text.matchAll(/^```(\w+)([^\n]*)\n(.*?)^```$|^<!-- sh: (.*?) -->$/gms);
  return [...parts].flatMap(({ 1: language, 2: words = "", 3: block = "", 4: hidden, index }): readonly Step[] => {
    const line = text.slice(0, index).split("\n").length;
    if (hidden !== undefined) return [{ is: "script", line, text: hidden, exits: 0 }];
    if (language === "sh") {
      const exits = Number(/\bexits=(\d+)/.exec(words)?.[1] ?? 0);
      return [{ is: "script", line, text: block, exits }];
    }
    if (language === "text") return [{ is: "printed", line, text: block }];
    const path = /\bfile=(\S+)/.exec(words)?.[1];
    return path === undefined ? [] : [{ is: "file", line, path, text: block }];
  });
}

/**
 * Returns the passages of a page that are missing from what was printed. Passages are separated by lines `…` and must appear in the
 * same order. Moments, ports, ids, hashes and widths can differ from run to run.
 */
export function missingFrom(printed: string, shown: string): readonly string[] {
  const passages = comparable(shown)
    .split(/^…$/m)
    .map((passage) => passage.trim());
  let rest = comparable(printed);
  return passages.filter((passage) => {
    const at = `\n${rest}\n`.indexOf(`\n${passage}\n`);
    if (passage !== "" && at === -1) return true;
    rest = rest.slice(at + passage.length);
    return false;
  });
}

function comparable(text: string): string {
  return text
    .replaceAll(/\b\d{4}-\d\d-\d\dT[\d:]+Z(-[0-9a-f]{4})?/g, "MOMENT")
    .replaceAll(/\b\d{4}-\d\d-\d\d( \d\d:\d\d UTC)?/g, "DAY")
    .replaceAll(/\b\d+ (?:minute|hour|day)s? old/g, "AGE old")
    .replaceAll(/\b127\.0\.0\.1:\d+/g, "HOST")
    .replaceAll(/\b[0-9a-f]{8,64}\b/g, "HASH")
    .replaceAll(/ +/g, " ")
    .replaceAll(/^ | $/gm, "")
    .trim();
}

/** A command of setpoint on a page: its words without the program's name. */
export interface PageCommand {
  /** The page and the line. */
  readonly place: string;
  readonly words: readonly string[];
}

/** Returns the commands of setpoint that a page shows, in its blocks and in its sentences. */
export function commandsOf(page: string): readonly PageCommand[] {
  const text = readFileSync(page, "utf8");
  const shown = [...text.matchAll(/^```(?:sh|yaml|groovy)\b[^\n]*\n(.*?)^```$|`(setpoint [^`\n]+)`/gms)];
  return shown.flatMap(({ 1: block, 2: inline, index }) => {
    const place = `${page}:${text.slice(0, index).split("\n").length}`;
    const lines = block === undefined ? [inline ?? ""] : block.replaceAll("\\\n", " ").split("\n");
    return lines.flatMap((line) =>
      commandsIn(line).map((words) => {
        // A sentence can name a command without its arguments.
        const isNamed = block === undefined && words.length === 1;
        return { place, words: isNamed ? [...words, "--help"] : words };
      }),
    );
  });
}

/** Returns the commands of setpoint in a line of a shell. `<name>` stands for a value, `[…]` for optional parts. */
function commandsIn(line: string): readonly (readonly string[])[] {
  const commands: string[][] = [[]];
  for (const word of parse(line.replaceAll(/<([\w ]+)>/g, "some-$1"), (name) => `$${name}`)) {
    if (typeof word === "string") commands.at(-1)?.push(word);
    else if ("pattern" in word) commands.at(-1)?.push(word.pattern);
    else if ("comment" in word) break;
    else commands.push([]);
  }
  return commands.flatMap((words) => {
    const start = words.indexOf("setpoint");
    const isCalled =
      start === 0 || words.slice(0, start).every((word) => /^\w+=|^(?:npx|if|then|run:|-|sh)$/.test(word));
    return start === -1 || !isCalled ? [] : [words.slice(start + 1)];
  });
}

/** Returns the program's error for a command; undefined if its command, options and arguments exist. Runs nothing. */
export function mistakeIn(words: readonly string[]): string | undefined {
  const root = program("0.0.0", async () => {});
  let said = "";
  for (const command of everyCommand(root))
    command.exitOverride().configureOutput({
      writeOut: () => {},
      writeErr: (text) => {
        said += text;
      },
    });
  try {
    root.parse([...words], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? undefined : said.trim();
  }
  return undefined;
}

function everyCommand(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}
