import { appendFile, readFile } from "node:fs/promises";
import { InvalidArgumentError } from "commander";
import { type Problem, ProblemError } from "../../core/problem.ts";
import { whyUnwritten } from "../../core/text/reason.ts";
import { alternatives } from "../../core/text/words.ts";
import { appending, refuseLinkedFolder, replaceFile } from "../../engine/replace-file.ts";
import { neutralJson, neutralText } from "../../reports/neutral.ts";
import type { RunResult } from "../../reports/text/summary.ts";
import { installed } from "../installed.ts";

interface Rendered {
  readonly text: string;
  /** Commands for the CI runner that reads this process's output. */
  readonly commands?: readonly string[];
  /** True for a file that other steps also write to. */
  readonly isAppended?: true;
}

/** The width of a text report in a file, in columns. */
const textWidth = 100;

/** The formats. The code of each is loaded only if it is used. `all`: also list what is in sync, and every field, line and event. */
const formats: Readonly<Record<string, (result: RunResult, all: boolean) => Promise<Rendered>>> = {
  async text(result, all) {
    const { renderText } = await import("../../reports/text/result-text.ts");
    return { text: neutralText(`${renderText(result, { width: textWidth, color: false, all })}\n`) };
  },
  async json(result) {
    const { resultJson } = await import("../../reports/formats/json.ts");
    return { text: neutralJson(`${JSON.stringify(resultJson(result), null, 2)}\n`) };
  },
  markdown: async (result) => ({ text: (await import("../../reports/formats/markdown.ts")).renderMarkdown(result) }),
  async html(result) {
    if ("problems" in result)
      return { text: (await import("../../reports/text/result-text.ts")).renderProblemPage(result) };
    const [{ renderHtml }, shell] = await Promise.all([import("../../reports/html/render.ts"), readShell()]);
    return { text: renderHtml(result, shell) };
  },
  junit: async (result) => ({ text: (await import("../../reports/formats/junit.ts")).renderJunit(result) }),
  sarif: async (result) => ({ text: (await import("../../reports/formats/sarif.ts")).renderSarif(result) }),
  async github(result) {
    const { githubAnnotations } = await import("../../reports/formats/github.ts");
    const { renderMarkdown } = await import("../../reports/formats/markdown.ts");
    return { text: `${renderMarkdown(result)}\n`, commands: githubAnnotations(result), isAppended: true };
  },
  csv: async (result) => ({ text: (await import("../../reports/formats/csv.ts")).renderCsv(result) }),
};

export const reportFormats: readonly string[] = Object.keys(formats);

/** A file that a command writes in addition to its output. */
export interface ReportFile {
  readonly format: string;
  readonly file: string;
}

/** Parses an option such as `junit=report.xml`. */
export function addReport(text: string, before: readonly ReportFile[]): readonly ReportFile[] {
  const at = text.indexOf("=");
  const [format, file] = [text.slice(0, Math.max(0, at)), text.slice(at + 1)];
  if (file === "" || file === "-" || !reportFormats.includes(format))
    throw new InvalidArgumentError(`Expected format=file, where format is ${alternatives(reportFormats)}.`);
  return [...before, { format, file }];
}

/** Reads the page that reports are put into. The build makes it, as does `npm ci` in a checkout. */
export async function readShell(from: URL = installed("dist/page/shell.html")): Promise<string> {
  try {
    return await readFile(from, "utf8");
  } catch {
    throw new ProblemError({
      code: "SP1017",
      message: "The page of the HTML report is missing: dist/page/shell.html of setpoint.",
      hint: "In a checkout, run npm run build. In an installed package, install it again.",
    });
  }
}

/**
 * Writes the files. Commands for the CI runner go to standard error, where it reads them too, so the output is unaffected.
 * Returns a problem SP1017 for each file that could not be written.
 */
export async function writeReports(
  files: readonly ReportFile[],
  result: RunResult,
  all: boolean,
): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  for (const { format, file } of files) {
    try {
      const rendered = await formats[format]?.(result, all);
      if (rendered === undefined) continue;
      for (const command of rendered.commands ?? []) process.stderr.write(`${command}\n`);
      // A pull request can have a link to any file or folder where a report goes: it is replaced, or refused.
      if (rendered.isAppended) await refuseLinkedFolder(file);
      await (rendered.isAppended
        ? appendFile(file, rendered.text, { flag: appending })
        : replaceFile(file, rendered.text));
    } catch (error) {
      const message = `The report cannot be written to ${file}: ${whyUnwritten(error)}.`;
      problems.push(...(error instanceof ProblemError ? error.problems : [{ code: "SP1017" as const, message }]));
    }
  }
  return problems;
}
