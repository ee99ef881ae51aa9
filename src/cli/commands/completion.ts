import { Command, CommanderError } from "commander";
import { ProblemError } from "../../core/problem.ts";
import { invisible } from "../../reports/text/style.ts";
import type { OpenWorkspace } from "../../setpoint.ts";
import { type Shell, scripts } from "../completion/scripts.ts";
import { type Candidate, type NameSource, wantedAfter } from "../completion/wanted.ts";
import { type ExitCode, exitCodes } from "../exit.ts";
import { addManifestOptions, type ManifestOptions, openFrom } from "../options/options.ts";

/**
 * `setpoint completion <shell>`: prints the shell's script. With words, which that script passes, it prints what can follow
 * them. Sends no request.
 */
export async function completion(root: Command, shell: Shell, words: readonly string[]): Promise<ExitCode> {
  // A shell reads this, so nothing is laid out or coloured.
  const print = (text: string) => process.stdout.write(text);
  if (words.length === 0) print(scripts[shell]);
  else for (const line of await completionLines(root, words)) print(`${line}\n`);
  return exitCodes.ok;
}

/** The lines that answer a script. The last word is the one that is being typed. */
export async function completionLines(root: Command, words: readonly string[]): Promise<readonly string[]> {
  const before = words.slice(0, -1);
  const current = words.at(-1) ?? "";
  const { of, front = "", operands = [] } = wantedAfter(root, before, current);
  if (of === "files") return [":files"];
  const named = typeof of === "string" ? namesOf(of, operands, () => openFrom(workspaceOf(before))).catch(none) : of;
  return (
    (await named)
      .map(({ value, description }) => ({ value: `${front}${value}`, description }))
      // Leave out values that a shell could not show, or would split: they cannot be typed either.
      .filter(({ value }) => value.startsWith(current) && value.search(invisible) === -1)
      .map(({ value, description }) => `${value}\t${description.replace(invisible, " ")}`)
  );
}

/** The names that a source has now. Sends no request. A workspace that cannot be read has none. */
async function namesOf(
  source: NameSource,
  operands: readonly string[],
  open: () => OpenWorkspace,
): Promise<readonly Candidate[]> {
  switch (source) {
    case "kinds": {
      const { kinds } = await import("../../reconcilers/registry.ts");
      return [...kinds.values()].map(({ kind, summary }) => ({ value: kind, description: summary }));
    }
    case "services": {
      const { workspace } = await open().validate();
      return (workspace?.services ?? []).map(({ name, url }) => ({ value: name, description: url }));
    }
    case "addresses": {
      const { resources } = await open().validate();
      return resources.map(({ address, place }) => ({ value: address, description: `${place.file}:${place.line}` }));
    }
    case "operations": {
      const { operationsOf } = await import("../../clients/find-service.ts");
      const { role } = await open().service(operands[0] ?? "");
      return Object.entries(operationsOf(role)).map(([value, { summary }]) => ({ value, description: summary }));
    }
    case "runs":
      return open()
        .runs()
        .map(({ run, at = "", by = "" }) => ({ value: run, description: `${at} ${by}`.trim() }));
    case "risks": {
      const { Risk } = await import("../../core/change.ts");
      return Risk.options.map((value) => ({ value, description: "" }));
    }
    case "formats": {
      const { reportFormats } = await import("../results/report-files.ts");
      return reportFormats.map((value) => ({ value: `${value}=`, description: "" }));
    }
  }
}

/** No names, for a workspace that cannot be read. Running the command will report why. */
function none(error: unknown): readonly Candidate[] {
  if (error instanceof ProblemError) return [];
  throw error;
}

/** The workspace that the words before the cursor name, as far as they can be parsed. */
function workspaceOf(words: readonly string[]): ManifestOptions {
  const reader = addManifestOptions(new Command())
    .allowUnknownOption()
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  try {
    reader.parseOptions([...words]);
  } catch (error) {
    // The value of the last option is being typed.
    if (!(error instanceof CommanderError)) throw error;
  }
  return reader.opts<ManifestOptions>();
}
