import { counted } from "../../../core/text/words.ts";
import { wrap } from "../../../reports/text/layout.ts";
import { renderProblems } from "../../../reports/text/problems.ts";
import { type ExitCode, exitCodes, inputExitCode } from "../../exit.ts";
import { type ManifestOptions, openFrom } from "../../options/options.ts";
import { openOutput, show } from "../../terminal/output.ts";

/** Options of `setpoint fmt`, whose arguments are paths. */
export interface FmtOptions extends ManifestOptions {
  readonly check: boolean;
}

/**
 * `setpoint fmt`: orders and formats manifests, and leaves those with errors alone. Sends no request. Throws
 * `ProblemError` SP4003, and writes nothing, if a file has changed meanwhile.
 */
export async function fmt(paths: readonly string[], options: FmtOptions): Promise<ExitCode> {
  const output = openOutput(options);
  const { files, left, problems, looked, write } = await openFrom(options).format(paths);
  if (!options.check) await write();
  const names = files.map(({ file }) => file);
  const written = !options.check && names.length > 0;
  const summary = `${counted(problems.length, "error")}. Files with errors were left as they are.`;
  show(output, { written, files: names, left, problems }, () =>
    [
      ...(problems.length === 0 ? [] : [renderProblems(problems, { ...output, summary })]),
      ...left.flatMap(({ file, reason }) => wrap(`${file} was left as it is: ${reason}.`, output.width)),
      ...names.map((name) => (options.check ? `${name} is not formatted.` : `Formatted ${name}.`)),
      ...(problems.length > 0 && names.length === 0 ? [] : [conclusion(names.length, looked, options.check)]),
    ].join("\n"),
  );
  if (problems.length > 0) return inputExitCode(problems);
  return options.check && names.length > 0 ? exitCodes.wrong : exitCodes.ok;
}

function conclusion(changed: number, looked: number, isCheck: boolean): string {
  const all = counted(looked, "manifest");
  if (changed === 0) return `${all}: nothing to format.`;
  return isCheck ? `${changed} of ${all} to format: run setpoint fmt.` : `Formatted ${changed} of ${all}.`;
}
