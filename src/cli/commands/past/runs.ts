import { renderRun, renderRuns } from "../../../reports/text/runs-text.ts";
import { type ExitCode, exitCodes } from "../../exit.ts";
import { type ManifestOptions, openFrom } from "../../options/options.ts";
import { openOutput } from "../../terminal/output.ts";

/** `setpoint runs`: lists the runs in the journals of the workspace, newest first, or shows one of them. Sends no request. */
export async function runs(name: string | undefined, options: ManifestOptions): Promise<ExitCode> {
  const output = openOutput(options);
  const workspace = openFrom(options);
  if (name === undefined) {
    const all = workspace.runs();
    output.print(output.json ? JSON.stringify({ version: 1, runs: all }, null, 2) : renderRuns(all, output));
  } else {
    const one = workspace.run(name);
    output.print(output.json ? JSON.stringify({ version: 1, ...one }, null, 2) : renderRun(one, output));
  }
  return exitCodes.ok;
}
