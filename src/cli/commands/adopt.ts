import { counted } from "../../core/words.ts";
import { type Adoption, adopt as adoptLive } from "../../engine/adopt/adopt.ts";
import { replaceFiles } from "../../engine/adopt/replace-files.ts";
import { type Connections, connectOnce } from "../../engine/sessions.ts";
import { diskFiles } from "../../manifests/sources/files.ts";
import type { Declarations } from "../../planner/subjects.ts";
import { filePatch, renderFileDiff } from "../../reports/file-diff.ts";
import { renderProblems } from "../../reports/problems.ts";
import { styleOf } from "../../reports/style.ts";
import { unknownLines } from "../../reports/unknown.ts";
import { type ExitCode, exitCodes, inputExitCode } from "../exit.ts";
import type { AdoptOptions } from "../options.ts";
import { planOver, prepare } from "../planning.ts";
import { isConfirmed, requireTerminal } from "../terminal/confirm.ts";
import { failWith, type Output, openOutput } from "../terminal/output.ts";
import { findWorkspace, loadFrom } from "../workspace.ts";

/**
 * `setpoint adopt`: writes live values that differ into the manifests. The connections cannot write.
 *
 * Throws `ProblemError`: SP5001 where it cannot ask, and what `replaceFiles` throws.
 */
export async function adopt(
  addresses: readonly string[],
  options: AdoptOptions,
  signal: AbortSignal,
): Promise<ExitCode> {
  const connections = connectOnce({ signal });
  return adoptOver(connections, addresses, options, signal).finally(() => connections.close());
}

async function adoptOver(
  { readLiveList }: Connections,
  addresses: readonly string[],
  options: AdoptOptions,
  signal: AbortSignal,
): Promise<ExitCode> {
  const output = openOutput(options);
  const asks = !options.yes && !options.dryRun;
  if (asks) requireTerminal("adopt", output.json);
  const prepared = await prepare(
    { ...options, only: addresses, all: false, deletes: true },
    { drift: true },
    { readLiveList },
  );
  if (prepared.is === "wrong")
    return failWith(output, prepared.problems, "Nothing was written.", inputExitCode(prepared.problems));
  const { declarations, workspace } = prepared;
  const { folder } = findWorkspace(options.workspace);
  const observe = async (declared: Declarations) => {
    const again = connectOnce({ signal });
    const guards = { ...workspace.guards, noDeletes: false };
    const settings = { baseRef: undefined, guards, unmanaged: false, signal };
    return (await planOver(declared, workspace, again, settings).finally(() => again.close())).decided;
  };
  const adoption = await adoptLive({
    declarations,
    decided: await observe(declarations),
    files: diskFiles(folder),
    load: (files) => loadFrom(files, options, { readLiveList }),
    observe,
  });
  const text = adoptionText(adoption, output);
  if (!output.json && text !== "") output.print(`${text}\n`);
  const isWanted = adoption.files.length > 0 && !options.dryRun;
  const isWritten = isWanted && (!asks || (await isConfirmed(question(adoption), signal)));
  if (isWritten) await replaceFiles(folder, adoption.files);
  output.print(output.json ? adoptionJson(adoption, isWritten) : conclusion(adoption, isWritten));
  if (adoption.refusals.length > 0 || (isWanted && !isWritten)) return exitCodes.refused;
  return adoption.unknown.length > 0 ? exitCodes.unknown : exitCodes.ok;
}

/** What is not adopted and why, then the diff. */
function adoptionText({ files, refusals, unknown }: Adoption, output: Output): string {
  const summary = `${counted(refusals.length, "difference")} cannot be adopted.`;
  return [
    ...(refusals.length > 0 ? [renderProblems(refusals, { ...output, summary })] : []),
    ...(unknown.length > 0 ? [unknownLines(unknown, false, styleOf(output)).join("\n")] : []),
    ...files.map((file) => renderFileDiff(file, output)),
  ].join("\n");
}

function question({ files }: Adoption): string {
  return files.length === 1 ? "Write this file?" : `Write these ${files.length} files?`;
}

function conclusion({ files, adopted, refusals }: Adoption, isWritten: boolean): string {
  if (files.length === 0)
    return refusals.length > 0 ? "Nothing was written." : "Nothing to adopt: nothing known differs.";
  const fields = adopted.reduce((sum, one) => sum + one.fields.length, 0);
  const what = `${counted(fields, "live value")} of ${counted(adopted.length, "resource")} in ${counted(files.length, "file")}`;
  return isWritten ? `Adopted ${what}.` : `Nothing was written: ${what} to adopt.`;
}

function adoptionJson({ files, adopted, refusals, unknown }: Adoption, isWritten: boolean): string {
  return JSON.stringify(
    {
      version: 1,
      written: isWritten,
      files: files.map((file) => ({ file: file.file, diff: filePatch(file) })),
      adopted,
      refusals,
      unknown,
    },
    null,
    2,
  );
}
