import type { ExitCode } from "../exit.ts";
import type { Interrupts } from "../options.ts";

/** Runs one command, which Ctrl-C interrupts. */
export type Run = (command: (interrupts: Interrupts) => Promise<ExitCode>) => Promise<void>;

/** The end of a command's help: how it is typed for its commonest uses, two at least. */
export function examples(...commands: readonly string[]): ["after", string] {
  return ["after", `\nExamples:\n${commands.map((command) => `  ${command}`).join("\n")}`];
}
