import type { Problem } from "../../core/problem.ts";
import { neutralLine } from "../../reports/neutral.ts";
import { wrap } from "../../reports/text/layout.ts";

/** Writes what is not part of a command's result to standard error: wrapped on a terminal, elsewhere on one line. */
export function notice(text: string): void {
  const { stderr } = process;
  const line = neutralLine(text);
  // A pseudo-terminal without a size has 0 columns.
  const lines = stderr.isTTY && stderr.columns > 0 ? wrap(line, stderr.columns, "", "    ") : [line];
  stderr.write(`${lines.join("\n")}\n`);
}

/** Writes a problem that is not part of a command's result to standard error, with what to do about it. */
export function noticeProblem({ code, message, hint }: Problem): void {
  notice(`${code}  ${message}${hint === undefined ? "" : ` ${hint}`}`);
}
