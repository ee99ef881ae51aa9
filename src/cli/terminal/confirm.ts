import { createInterface } from "node:readline/promises";
import { type Problem, ProblemError } from "../../core/problem.ts";
import { quote } from "../../core/text/words.ts";

/** The problem SP5001 if no question can be asked, because there is no terminal or JSON is printed; otherwise undefined. */
export function missingTerminal(command: string, json: boolean): Problem | undefined {
  if (process.stdin.isTTY && process.stdout.isTTY && !json) return undefined;
  return {
    code: "SP5001",
    message: `${command} asks before it writes, and ${json ? "with --json it cannot" : "no terminal is attached"}.`,
    hint: "Pass --yes.",
  };
}

/** Throws `ProblemError` SP5001 if no question can be asked. */
export function requireTerminal(command: string, json: boolean): void {
  const problem = missingTerminal(command, json);
  if (problem !== undefined) throw new ProblemError(problem);
}

/** Interprets an answer. A near miss of "yes" is asked again, so that the user can write it in full. */
function understood(answer: string): "yes" | "no" | "again" {
  if (answer === "yes") return "yes";
  return /^(y|ye|yes|yep|yeah|ok|okay|true)[.!]?$/i.test(answer) ? "again" : "no";
}

/** Asks on the terminal. Only "yes" is a yes: a near miss is asked again, and Ctrl-C, the end of input and all else are a no. */
export async function isConfirmed(
  question: string,
  signal: AbortSignal,
  streams: { readonly input: NodeJS.ReadableStream; readonly output: NodeJS.WritableStream } = {
    input: process.stdin,
    output: process.stdout,
  },
): Promise<boolean> {
  const questions = createInterface(streams);
  // At the end of the input, a question would wait forever for an answer.
  const ended = new AbortController();
  questions.once("close", () => ended.abort());
  const stop = AbortSignal.any([signal, ended.signal]);
  try {
    for (let asked = `${question} Only "yes" is a yes: `; ; ) {
      const answer = (await questions.question(asked, { signal: stop })).trim();
      const meant = understood(answer);
      if (meant === "yes") return true;
      if (meant === "no") {
        if (answer !== "" && !/^no?$/i.test(answer)) streams.output.write(`${quote(answer)} is taken as a no.\n`);
        return false;
      }
      asked = `${quote(answer)} is not "yes". Write yes in full, or no: `;
    }
  } catch {
    return false;
  } finally {
    questions.close();
  }
}
