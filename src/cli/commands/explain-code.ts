import type { GuideEntry } from "../../core/guide/entry.ts";
import { manifestGuide } from "../../core/guide/manifests.ts";
import { runGuide } from "../../core/guide/runs.ts";
import { ProblemCode, ProblemError, problemCodes } from "../../core/problem.ts";
import { didYouMean, quote } from "../../core/text/words.ts";
import { legend } from "../../reports/meanings.ts";
import { wrap } from "../../reports/text/layout.ts";
import { type ScreenOptions, styleOf } from "../../reports/text/style.ts";

/** Every code, explained. */
export const problemGuide: Readonly<Record<ProblemCode, GuideEntry>> = { ...manifestGuide, ...runGuide };

/** The word that stands for all codes. */
export const allCodes = "problems";

export interface ExplainedCode extends Required<GuideEntry> {
  readonly code: ProblemCode;
  readonly title: string;
}

/** Whether a subject is a code, or was meant as one. */
export function isCode(subject: string): boolean {
  return /^sp\d+$/i.test(subject);
}

/** Explains a code. Throws `ProblemError` SP1018 if there is no such code. */
export function findCode(subject: string): ExplainedCode {
  const name = subject.toUpperCase();
  const code = ProblemCode.safeParse(name).data;
  if (code !== undefined) {
    const { exit = "1", ...entry } = problemGuide[code];
    return { code, title: problemCodes[code], ...entry, exit };
  }
  throw new ProblemError({
    code: "SP1018",
    message: `There is no code ${quote(name)}.${didYouMean(name, ProblemCode.options)}`,
    hint: `setpoint explain ${allCodes} lists every code.`,
  });
}

/** Every code, explained, in the order of their numbers. */
export function everyCode(): readonly ExplainedCode[] {
  return ProblemCode.options.toSorted().map(findCode);
}

/** Renders a code: why it happens, an example, what to do, and the exit code. */
export function renderCode({ code, title, why, example, remedy, exit }: ExplainedCode, options: ScreenOptions): string {
  const style = styleOf(options);
  const part = (name: string, text: string) => [style.paint("bold", name), ...wrap(text, style.width, "  ", "  ")];
  return [
    wrap(`${style.paint(legend.wrong.paint, code)}  ${style.paint("bold", title)}`, style.width, "", "        ").join(
      "\n",
    ),
    part("Why", why).join("\n"),
    part("Example", example).join("\n"),
    part("What to do", remedy).join("\n"),
    part("Exit code", exit).join("\n"),
  ].join("\n\n");
}

/** A line for each code. */
export function renderCodes(codes: readonly ExplainedCode[], options: ScreenOptions): string {
  const style = styleOf(options);
  const lines = codes.flatMap(({ code, title }) => wrap(`${code}  ${title}`, style.width, "", "        "));
  return [...lines, "", "setpoint explain <code> says why it happens and what to do."].join("\n");
}
