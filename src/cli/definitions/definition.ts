import type { ExitCode } from "../exit.ts";
import type { Interrupts } from "../options/options.ts";

/** Runs one command, which Ctrl-C can interrupt. */
export type CommandRunner = (command: (interrupts: Interrupts) => Promise<ExitCode>) => Promise<void>;

/** The end of a command's help: at least two examples of its most common uses. */
export function examples(...commands: readonly string[]): ["after", string] {
  return ["after", `\nExamples:\n${commands.map((command) => `  ${command}`).join("\n")}`];
}
