import { Command, CommanderError } from "commander";
import { ProblemError } from "../../core/problem.ts";
import { invisible } from "../../reports/text/style.ts";
import { namesOf } from "../completion/names.ts";
import { scripts } from "../completion/scripts.ts";
import type { Shell } from "../completion/shells.ts";
import { type Candidate, wantedAfter } from "../completion/wanted.ts";
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
  const wanted = wantedAfter(root, before, current);
  switch (wanted.is) {
    case "nothing":
      return [];
    case "files":
      return [":files"];
    case "candidates":
      return lines(wanted.candidates, current);
    case "names": {
      const named = await namesOf(wanted.of, wanted.operands, () => openFrom(workspaceOf(before))).catch(none);
      return lines(
        named.map(({ value, description }) => ({ value: `${wanted.front}${value}`, description })),
        current,
      );
    }
  }
}

/** No names, for a workspace that cannot be read. Running the command will report why. */
function none(error: unknown): readonly Candidate[] {
  if (error instanceof ProblemError) return [];
  throw error;
}

function lines(all: readonly Candidate[], current: string): readonly string[] {
  return (
    all
      // Leave out values that a shell could not show, or would split: they cannot be typed either.
      .filter(({ value }) => value.startsWith(current) && value.search(invisible) === -1)
      .map(({ value, description }) => `${value}\t${description.replace(invisible, " ")}`)
  );
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
