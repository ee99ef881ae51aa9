import { counted } from "../../../core/text/words.ts";
import { filePatch, renderFileDiff } from "../../../reports/file-diff.ts";
import { wrap } from "../../../reports/text/layout.ts";
import { renderProblems } from "../../../reports/text/problems.ts";
import { styleOf } from "../../../reports/text/style.ts";
import { unknownLines } from "../../../reports/text/unknown-text.ts";
import type { Adoption, Selection } from "../../../setpoint.ts";
import { type ExitCode, exitCodes } from "../../exit.ts";
import { type ManifestOptions, openFrom } from "../../options/options.ts";
import { isConfirmed, requireTerminal } from "../../terminal/confirm.ts";
import { failWith, type Output, openOutput, show } from "../../terminal/output.ts";
import { progressLine } from "../../terminal/progress.ts";

/** Options of `setpoint adopt`, whose arguments are addresses. */
export interface AdoptOptions extends ManifestOptions, Omit<Selection, "only"> {
  readonly dryRun: boolean;
  readonly yes: boolean;
}

/**
 * `setpoint adopt`: writes live values that differ into the manifests. The connections cannot write.
 *
 * Throws `ProblemError`: SP5001 if no terminal is attached, and what `Adopting.write` throws.
 */
export async function adopt(
  addresses: readonly string[],
  options: AdoptOptions,
  signal: AbortSignal,
): Promise<ExitCode> {
  const output = openOutput(options);
  const asks = !options.yes && !options.dryRun;
  if (asks) requireTerminal("adopt", output.json);
  const { service, kind, label } = options;
  const progress = progressLine(options);
  const adopting = await openFrom(options, { signal, onProgress: progress.show })
    .adopt({ service, kind, label, only: addresses })
    .finally(progress.end);
  if (adopting.is === "wrong") return failWith(output, adopting, "Nothing was written.");
  const { adoption, write } = adopting;
  const text = adoptionText(adoption, output);
  if (!output.json && text !== "") output.print(`${text}\n`);
  const { length } = adoption.files;
  const question = length === 1 ? "Write this file?" : `Write these ${length} files?`;
  const isWanted = adoption.files.length > 0 && !options.dryRun;
  const isWritten = isWanted && (!asks || (await isConfirmed(question, signal)));
  if (isWritten) await write();
  const { files, adopted, refusals, unknown } = adoption;
  const changed = files.map((file) => ({ file: file.file, diff: filePatch(file) }));
  show(output, { written: isWritten, files: changed, adopted, refusals, unknown }, () =>
    wrap(conclusion(adoption, isWritten), output.width).join("\n"),
  );
  if (adoption.refusals.length > 0 || (isWanted && !isWritten)) return exitCodes.refused;
  return adoption.unknown.length > 0 ? exitCodes.unknown : exitCodes.ok;
}

/** What is not adopted and why, then the diff. */
function adoptionText({ files, refusals, unknown }: Adoption, output: Output): string {
  const summary = `${counted(refusals.length, "difference")} cannot be adopted.`;
  return [
    ...(refusals.length > 0 ? [renderProblems(refusals, { ...output, summary })] : []),
    ...(unknown.length > 0 ? [unknownLines(unknown, false, styleOf(output), "--json").join("\n")] : []),
    ...(output.quiet === true ? [] : files).map((file) => renderFileDiff(file, output)),
  ].join("\n");
}

function conclusion({ files, adopted, refusals }: Adoption, isWritten: boolean): string {
  if (files.length === 0)
    return refusals.length > 0 ? "Nothing was written." : "Nothing to adopt: no known value differs.";
  const fields = adopted.reduce((sum, one) => sum + one.fields.length, 0);
  const what = `${counted(fields, "live value")} of ${counted(adopted.length, "resource")} in ${counted(files.length, "file")}`;
  return isWritten ? `Adopted ${what}.` : `Nothing was written: ${what} to adopt.`;
}
