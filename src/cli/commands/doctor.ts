import { type ExitCode, exitCodes } from "../exit.ts";
import { type ManifestOptions, openFrom } from "../options/options.ts";
import { failWith, openOutput } from "../terminal/output.ts";
import { progressLine } from "../terminal/progress.ts";
import { renderExamined } from "./doctor-report.ts";

/** `setpoint doctor`: examines the services of the workspace, and says how to fix what is wrong. Cannot write. */
export async function doctor(options: ManifestOptions, signal: AbortSignal): Promise<ExitCode> {
  const output = openOutput(options);
  const progress = progressLine(options);
  const diagnosis = await openFrom(options, { signal, onProgress: progress.show }).doctor().finally(progress.end);
  if (diagnosis.is === "wrong") return failWith(output, diagnosis, "No service was asked.", exitCodes.wrong);
  const { services, errors } = diagnosis;
  if (output.json) output.print(JSON.stringify({ version: 1, services, errors }, null, 2));
  else output.print(renderExamined(services, errors, output));
  const isWrong = services.some(({ findings }) => findings.some(({ result }) => result === "wrong"));
  return isWrong || errors > 0 ? exitCodes.wrong : exitCodes.ok;
}
