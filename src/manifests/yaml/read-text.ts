import { type Problem, ProblemError } from "../../core/problem.ts";
import { accessHint, reasonOf } from "../../core/text/reason.ts";
import { utf8Text } from "../../core/text/words.ts";
import type { FileSource } from "../sources/files.ts";
import { problemAt, type SourceText, sourceText } from "./source-text.ts";

export const maxFileSize = 512 * 1024;

type Unreadable = Pick<Problem, "code" | "hint">;

export function unreadableFile(file: string, error: unknown, unreadable: Unreadable = { code: "SP1001" }): Problem {
  const place = { file, line: 1, column: 1 };
  return { ...unreadable, ...accessHint(error), message: `The file cannot be read: ${reasonOf(error)}.`, place };
}

/** A name or glob with the other extension, `.yaml` or `.yml`, if it has one of them. */
export function otherEnding(name: string): string {
  return name.replace(/\.ya?ml$/, (ending) => (ending === ".yml" ? ".yaml" : ".yml"));
}

/** Reads a file as text. Throws `ProblemError`: `unreadable` if that fails, SP1011 if it is too large, SP1012 if not UTF-8. */
export async function readText(files: FileSource, file: string, unreadable?: Unreadable): Promise<SourceText> {
  const bytes = await readBytes(files, file, unreadable);
  const text = utf8Text(bytes);
  if (text !== undefined) return sourceText(file, text);
  const source = sourceText(file, textBefore(bytes));
  const end = { source, start: source.text.length, end: source.text.length };
  throw new ProblemError(problemAt(end, "SP1012", "The file is not UTF-8 text.", { hint: "Save it as UTF-8." }));
}

/** The text before the first bytes that are not UTF-8; a replacement character of the file's own is text. */
function textBefore(bytes: Uint8Array): string {
  const again = new TextEncoder().encode(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes));
  const different = bytes.findIndex((byte, at) => byte !== again[at]);
  // What replaces a wrong sequence can begin with the same bytes; `stream` leaves out a sequence that is cut.
  return new TextDecoder().decode(bytes.subarray(0, different), { stream: true });
}

async function readBytes(files: FileSource, file: string, unreadable?: Unreadable): Promise<Uint8Array> {
  try {
    if ((await files.size(file)) <= maxFileSize) return await files.read(file);
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    throw new ProblemError(unreadableFile(file, error, unreadable));
  }
  const hint = "Split it into several files.";
  const place = { file, line: 1, column: 1 };
  throw new ProblemError({ code: "SP1011", message: "The file is larger than 512 KiB.", hint, place });
}
