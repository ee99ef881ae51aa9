import { fstatSync } from "node:fs";
import type { Problem } from "../../core/problem.ts";
import { resultJson } from "../../reports/formats/json.ts";
import { neutralJson, neutralText } from "../../reports/neutral.ts";
import { wrap } from "../../reports/text/layout.ts";
import { renderProblems } from "../../reports/text/problems.ts";
import type { ScreenOptions } from "../../reports/text/style.ts";
import { type ExitCode, inputExitCode } from "../exit.ts";

/** Where a command prints, and with which width and colours. */
export interface Output extends ScreenOptions {
  readonly json: boolean;
  /** Prints text or one JSON value. The only place where text from outside is made harmless to its reader. */
  print(text: string): void;
  /** Prints text byte for byte. Undefined unless the output is a file. */
  readonly printExact?: ((text: string) => void) | undefined;
}

/** The width in columns if the output is not a terminal: wide enough for an address, narrow enough for a CI log. */
const plainWidth = 100;
/** The largest width. Lines are padded to the width, and COLUMNS can be set to any number. */
const largestWidth = 1000;

/**
 * Whether the environment wants colour. NO_COLOR turns it off unless it is empty. Otherwise FORCE_COLOR turns it on, or off if
 * it is `0` or `false`. Otherwise a terminal that supports colour gets it.
 * @see no-color.org
 */
export function wantsColor(
  { NO_COLOR = "", FORCE_COLOR, TERM }: Readonly<Record<string, string | undefined>>,
  isTerminal: boolean,
): boolean {
  if (NO_COLOR !== "") return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  return isTerminal && TERM !== "dumb";
}

export interface OutputOptions {
  readonly json: boolean;
  /** False for `--no-color`. */
  readonly color: boolean;
  readonly quiet?: boolean;
}

/** Writes to standard output, in colour if the environment wants it and `--no-color` does not turn it off. */
export function openOutput(options: OutputOptions): Output {
  const { env, stdout } = process;
  const color = options.color && wantsColor(env, stdout.isTTY);
  return {
    json: options.json,
    // A pseudo-terminal without a size has 0 columns.
    width: Math.min((stdout.isTTY ? stdout.columns : Number(env.COLUMNS)) || plainWidth, largestWidth),
    color,
    unicode: env.TERM !== "dumb",
    quiet: options.quiet ?? false,
    print: (text) => {
      const line = text.endsWith("\n") ? text : `${text}\n`;
      stdout.write(options.json ? neutralJson(line) : neutralText(line, { color }));
    },
    printExact: fstatSync(1).isFile() ? (text) => stdout.write(text) : undefined,
  };
}

/** Prints a sentence, wrapped to the width. */
export function say({ print, width }: Output, sentence: string): void {
  print(wrap(sentence, width).join("\n"));
}

/** Prints a result: for machines as JSON with the version of its form, for people as text. */
export function show(output: Output, facts: object, text: () => string): void {
  output.print(output.json ? JSON.stringify({ version: 1, ...facts }, null, 2) : text());
}

/** Prints a run as `show` does. Only JSON takes the time to check it against the published schema. */
export function showRun(output: Output, result: Parameters<typeof resultJson>[0], text: () => string): void {
  output.print(output.json ? JSON.stringify(resultJson(result), null, 2) : text());
}

/**
 * Prints problems and what did not happen because of them, and returns the exit code. A person is shown so many of the problems;
 * JSON has all.
 */
export function failWith(
  output: Output,
  { problems, shown }: { readonly problems: readonly Problem[]; readonly shown?: number | undefined },
  summary: string,
  code = inputExitCode(problems),
): ExitCode {
  showRun(output, { problems }, () => renderProblems(problems, { ...output, summary, most: shown }));
  return code;
}
