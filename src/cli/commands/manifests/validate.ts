import type { Problem } from "../../../core/problem.ts";
import { counted } from "../../../core/text/words.ts";
import { wrap } from "../../../reports/text/layout.ts";
import { renderTrusted } from "../../../reports/text/trusted-text.ts";
import type { OpenWorkspace } from "../../../setpoint.ts";
import { type ExitCode, exitCodes } from "../../exit.ts";
import { type ManifestOptions, openFrom } from "../../options/options.ts";
import type { ReportOptions } from "../../options/result-options.ts";
import { type Delivery, openDelivery } from "../../results/deliver.ts";
import { failWith, type Output, openOutput, show } from "../../terminal/output.ts";
import { watch } from "../../watch.ts";

/** `setpoint validate`: reads the manifests and nothing else. */
export async function validate(options: ManifestOptions & ReportOptions, signal: AbortSignal): Promise<ExitCode> {
  const output = openOutput(options);
  const watches = options.watch === true;
  const open = () => openFrom(options, { watches });
  const run = (opened: OpenWorkspace) =>
    validateOnce(opened, openDelivery("validate", options, opened, output), output);
  return watches ? watch({ output, signal, open, run }) : run(open());
}

async function validateOnce(opened: OpenWorkspace, delivery: Delivery, output: Output): Promise<ExitCode> {
  const checked = await delivery.of(opened.validate());
  const { workspace, files, resources, problems, unexpanded, trusted } = checked;
  const isWritten = await delivery.sendProblems(problems);
  if (problems.length > 0) {
    const shown = workspace?.limits.errors;
    return failWith(output, { problems, shown }, summary(problems, files));
  }
  const left = `Not counted: documents in ${counted(unexpanded, "file")} that repeat over lists of services, which only a plan reads.`;
  show(output, { files, resources: resources.length, unexpanded, problems, trusted }, () =>
    [
      ...(trusted === undefined || output.quiet === true ? [] : [renderTrusted(trusted, output)]),
      `${counted(resources.length, "resource")} in ${counted(files, "file")}, no errors.`,
      ...(unexpanded === 0 ? [] : wrap(left, output.width)),
    ].join("\n"),
  );
  return isWritten ? exitCodes.ok : exitCodes.wrong;
}

/** Says how many errors there are, in how many files, and that nothing else happened. */
export function summary(problems: readonly Problem[], files: number): string {
  const wrong = new Set(problems.flatMap(({ place }) => (place === undefined ? [] : [place.file]))).size;
  // The workspace file is not one of the counted files, and some errors are in no file.
  const where = wrong === 0 || wrong > files ? "" : ` in ${wrong} of ${counted(files, "file")}`;
  return `${counted(problems.length, "error")}${where}. Nothing was read from any service.`;
}
