import type { About } from "../../../core/run/plan.ts";
import { defined } from "../../../core/text/json.ts";
import { resultJson } from "../../../reports/formats/json.ts";
import { readResult } from "../../../reports/read-result.ts";
import { renderText } from "../../../reports/text/result-text.ts";
import { type ExitCode, exitCodes } from "../../exit.ts";
import { givenWords } from "../../options/options.ts";
import type { ReportOptions } from "../../options/result-options.ts";
import { writeResult } from "../../results/deliver.ts";
import { inFile, readPlanFile } from "../../results/plan-file.ts";
import { noticeProblem } from "../../terminal/notice.ts";
import { failWith, type OutputOptions, openOutput } from "../../terminal/output.ts";

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
  if (read.is === "wrong") return failWith(output, { problems: [inFile(file, read.problem)] }, "No report was made.");
  const { result } = read;
  const about: Partial<About> = "plan" in result ? result.plan.about : {};
  const given = { ...options, ...defined({ environment: about.environment }) };
  const unwritten = await writeResult(result, given);
  if (output.json) output.print(JSON.stringify(resultJson(result), null, 2));
  else if (options.report.length === 0)
    output.print(renderText({ ...result, given: givenWords(given) }, { ...output, all: options.all }));
  unwritten.forEach(noticeProblem);
  return unwritten.length === 0 ? exitCodes.ok : exitCodes.wrong;
}
