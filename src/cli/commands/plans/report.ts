import { resultJson } from "../../../reports/formats/json.ts";
import { neutralLine } from "../../../reports/neutral.ts";
import { readResult } from "../../../reports/read-result.ts";
import { renderText } from "../../../reports/text/result-text.ts";
import { type ExitCode, exitCodes } from "../../exit.ts";
import type { ReportOptions } from "../../options/result-options.ts";
import { writeResult } from "../../results/deliver.ts";
import { readPlanFile } from "../../results/plan-file.ts";
import { failWith, type OutputOptions, openOutput } from "../../terminal/output.ts";

/** Options of `setpoint report`. */
export interface ReportCommandOptions extends ReportOptions, OutputOptions {
  readonly workspace: string;
  readonly all: boolean;
}

/** `setpoint report`: makes reports from what an earlier run wrote. Asks no service. */
export async function report(file: string, options: ReportCommandOptions): Promise<ExitCode> {
  const output = openOutput(options);
  const written = await readPlanFile(file);
  if (written.is === "wrong") return failWith(output, written, "No report was made.");
  const read = readResult(written.text);
  if (read.is === "wrong") {
    const { message } = read.problem;
    const problem = { ...read.problem, message: `${neutralLine(file)}: ${message}` };
    return failWith(output, { problems: [problem] }, "No report was made.");
  }
  const { result } = read;
  const isWritten = await writeResult(result, options);
  if (output.json) output.print(JSON.stringify(resultJson(result), null, 2));
  else if (options.report.length === 0) output.print(renderText(result, { ...output, all: options.all }));
  return isWritten ? exitCodes.ok : exitCodes.wrong;
}
