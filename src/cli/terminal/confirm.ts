import { createInterface } from "node:readline/promises";
import { type Problem, ProblemError } from "../../core/problem.ts";

/** The problem SP5001 if a question cannot be asked: there is no terminal, or JSON is printed. */
export function missingTerminal(command: string, json: boolean): Problem | undefined {
  if (process.stdin.isTTY && process.stdout.isTTY && !json) return undefined;
  return {
    code: "SP5001",
    message: `${command} asks before it writes, and there is no terminal to ask on.`,
    hint: "Pass --yes.",
  };
}

/** Throws `ProblemError` SP5001 if a question cannot be asked. */
export function requireTerminal(command: string, json: boolean): void {
  const problem = missingTerminal(command, json);
  if (problem !== undefined) throw new ProblemError(problem);
}

/** Asks on the terminal; anything but "yes", Ctrl-C and the end of input are a no. */
export async function isConfirmed(question: string, signal: AbortSignal): Promise<boolean> {
  const questions = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return (await questions.question(`${question} Only "yes" is a yes: `, { signal })).trim() === "yes";
  } catch {
    return false;
  } finally {
    questions.close();
  }
}
