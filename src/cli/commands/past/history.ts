import type { HistoryEntry } from "../../../core/run/history.ts";
import { renderHistory } from "../../../reports/text/history-text.ts";
import { renderProblems } from "../../../reports/text/problems.ts";
import { type ExitCode, exitCodes } from "../../exit.ts";
import { type ManifestOptions, openFrom } from "../../options/options.ts";
import { openOutput, show } from "../../terminal/output.ts";

export interface HistoryOptions extends ManifestOptions {
  readonly history: string;
}

/** The commands with a history, in display order. */
const commands: readonly HistoryEntry["command"][] = ["drift", "plan", "apply"];

/** `setpoint history`: what earlier runs saw, and since when. Sends no request. Throws as `KeptHistory` does. */
export async function history(options: HistoryOptions): Promise<ExitCode> {
  const output = openOutput(options);
  const kept = openFrom(options).history(options.history);
  const histories = await Promise.all(commands.map(async (command) => ({ command, ...(await kept.read(command)) })));
  const problems = histories.flatMap((one) => one.problems);
  const runs = Object.fromEntries(histories.map(({ command, entries }) => [command, entries]));
  show(output, { ...runs, problems }, () => renderHistory(histories, options.history, output));
  if (!output.json && problems.length > 0)
    output.print(`\n${renderProblems(problems, { ...output, summary: "The readable lines are shown." })}`);
  return problems.length > 0 ? exitCodes.wrong : exitCodes.ok;
}
