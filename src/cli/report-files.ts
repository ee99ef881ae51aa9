import { writeFile } from "node:fs/promises";
import { InvalidArgumentError } from "commander";
import { alternatives } from "../core/words.ts";
import type { Subject } from "../reports/summary.ts";
import { readShell } from "./page-shell.ts";

/** The formats; each is loaded only if it is written. */
const formats: ReadonlyMap<string, () => Promise<(subject: Subject) => string>> = new Map([
  ["markdown", async () => (await import("../reports/markdown.ts")).renderMarkdown],
  ["junit", async () => (await import("../reports/junit.ts")).renderJunit],
  ["csv", async () => (await import("../reports/csv.ts")).renderCsv],
  [
    "html",
    async () => {
      const [{ renderHtml }, shell] = await Promise.all([import("../reports/html/render.ts"), readShell()]);
      return (subject) => renderHtml(subject, shell);
    },
  ],
]);

/** A file that a command writes besides its output. */
export interface ReportFile {
  readonly format: string;
  readonly file: string;
}

/** Reads an option such as `junit=report.xml`. */
export function addReport(text: string, before: readonly ReportFile[]): readonly ReportFile[] {
  const at = text.indexOf("=");
  const [format, file] = [text.slice(0, Math.max(0, at)), text.slice(at + 1)];
  if (file === "" || !formats.has(format))
    throw new InvalidArgumentError(`Expected format=file, the format being ${alternatives([...formats.keys()])}.`);
  return [...before, { format, file }];
}

/** Writes the files. Throws the system's error for one that cannot be written. */
export async function writeReports(files: readonly ReportFile[], subject: Subject): Promise<void> {
  for (const { format, file } of files) {
    const render = await formats.get(format)?.();
    if (render !== undefined) await writeFile(file, render(subject));
  }
}
