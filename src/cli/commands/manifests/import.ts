import { dirname } from "node:path";
import { alternatives, counted } from "../../../core/text/words.ts";
import { pad, widest, wrap } from "../../../reports/text/layout.ts";
import { renderProblems } from "../../../reports/text/problems.ts";
import type { ScreenOptions } from "../../../reports/text/style.ts";
import type { Importing } from "../../../setpoint.ts";
import { type ExitCode, exitCodes } from "../../exit.ts";
import { type ManifestOptions, openFrom } from "../../options/options.ts";
import { failWith, openOutput, show } from "../../terminal/output.ts";
import { progressLine } from "../../terminal/progress.ts";

export interface ImportOptions extends ManifestOptions {
  readonly kind: readonly string[];
  /** The folder of the manifests, relative to the workspace's. The default is `manifests/<service>`. */
  readonly out?: string;
}

/**
 * `setpoint import`: writes manifests of what a service has and no manifest declares, one file per kind. Cannot write to a
 * service, and overwrites no file.
 */
export async function importManifests(name: string, options: ImportOptions, signal: AbortSignal): Promise<ExitCode> {
  const output = openOutput(options);
  const progress = progressLine(options);
  const importing = await openFrom(options, { signal, onProgress: progress.show })
    .importFrom(name, { kinds: options.kind, out: options.out })
    .finally(progress.end);
  if (importing.is === "wrong") return failWith(output, importing, "Nothing was written.", exitCodes.wrong);
  importing.write();
  show(output, importedJson(importing), () => renderImported(importing, output));
  return importing.imported.problems.length > 0 ? exitCodes.unknown : exitCodes.ok;
}

export function importedJson({ imported: { manifests, problems, ...rest }, unfound, reads }: Importing) {
  const files = manifests.map(({ text: _text, ...file }) => file);
  return { version: 1, files, unfound, ...rest, reads, problems };
}

export function renderImported({ imported, unfound, reads }: Importing, options: ScreenOptions): string {
  const { manifests: files, declared, unlisted, problems } = imported;
  const shown = options.quiet === true ? [] : files;
  const kinds = widest(files, ({ kind }) => kind);
  const resources = files.reduce((sum, file) => sum + file.resources, 0);
  const before =
    declared === 0 ? "" : ` ${counted(declared, "resource")} ${declared === 1 ? "was" : "were"} already declared.`;
  return [
    ...shown.map((file) => `  + ${pad(file.kind, kinds)}  ${String(file.resources).padStart(5)}  ${file.file}`),
    ...(problems.length === 0 ? [] : [renderProblems(problems, { ...options, summary: "These were left out." })]),
    ...(unlisted.length === 0
      ? []
      : wrap(`The service cannot list ${alternatives(unlisted)}.`, options.width, "  ", "    ")),
    ...unfound.slice(0, 1).flatMap((file) => wrap(unfoundWords(file), options.width, "  ", "    ")),
    ...wrap(
      `${counted(resources, "resource")} in ${counted(files.length, "file")} with ${counted(reads, "read")}.${before}`,
      options.width,
    ),
  ].join("\n");
}

function unfoundWords(file: string): string {
  const folder = dirname(file);
  const advice = folder.startsWith("..")
    ? "move it into the workspace"
    : `add ${folder}/*.yaml to manifests in the workspace file`;
  return `No plan reads what is in ${folder}, because no glob finds it: ${advice}.`;
}
