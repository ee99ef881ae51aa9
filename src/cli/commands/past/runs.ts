import type { Problem } from "../../../core/problem.ts";
import { renderRun, renderRuns } from "../../../reports/text/runs-text.ts";
import type { OpenWorkspace } from "../../../setpoint.ts";
import { type ExitCode, exitCodes } from "../../exit.ts";
import { type ManifestOptions, openFrom } from "../../options/options.ts";
import { failWith, openOutput, show } from "../../terminal/output.ts";

/** `setpoint runs`: lists the runs in the journals of the workspace, newest first, or shows one of them. Sends no request. */
export async function runs(name: string | undefined, options: ManifestOptions): Promise<ExitCode> {
  const output = openOutput(options);
  const workspace = openFrom(options);
  if (name === undefined) {
    const all = workspace.runs();
    const missing = all.length === 0 ? await missingWorkspace(workspace) : [];
    if (missing.length > 0) return failWith(output, { problems: missing }, "No run was found.");
    show(output, { runs: all }, () => renderRuns(all, output));
  } else {
    const one = workspace.run(name);
    show(output, one, () => renderRun(one, output));
  }
  return exitCodes.ok;
}

/** The problem of a workspace file that does not exist. That no run is found would hide that this is the wrong folder. */
async function missingWorkspace(opened: OpenWorkspace): Promise<readonly Problem[]> {
  const { workspace, problems } = await opened.validate();
  return workspace === undefined ? problems.filter(({ code }) => code === "SP1013") : [];
}
