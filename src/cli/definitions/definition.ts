import type { ExitCode } from "../exit.ts";

/** Runs one command; the first signal is aborted by Ctrl-C, the second one by another Ctrl-C. */
export type Run = (command: (signal: AbortSignal, again: AbortSignal) => Promise<ExitCode>) => Promise<void>;

/** The end of a command's help: how it is typed for its commonest uses, two at least. */
export function examples(...commands: readonly string[]): ["after", string] {
  return ["after", `\nExamples:\n${commands.map((command) => `  ${command}`).join("\n")}`];
}
