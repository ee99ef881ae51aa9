import type { Problem } from "../../core/problem.ts";
import type { Place } from "../../core/resource.ts";
import { grouped, inOrder, someOf } from "../../core/text/words.ts";
import { legend } from "../meanings.ts";
import { pointText, problemWhere } from "../places.ts";
import { cut, displayWidth, wrap } from "./layout.ts";
import { paintPart, type ScreenOptions, type Style, styleOf, visible } from "./style.ts";

/** The most problems to show; the rest are counted. */
const mostShown = 50;

/**
 * Renders problems by file, line and column, then those without a place, then `summary`, which says what did not happen
 * because of them. At most `most` are shown, and the rest are counted.
 */
export function renderProblems(
  problems: readonly Problem[],
  options: ScreenOptions & { readonly summary: string; readonly most?: number | undefined },
): string {
  const style = styleOf(options);
  const { most = mostShown } = options;
  const all = sorted(problems);
  const lines = all
    .slice(0, most)
    .flatMap((problem, at, shown) => problemLines(beforeNext(problem, shown[at + 1]), style));
  return [...lines, ...hiddenLines(all.slice(most), style), ...wrap(options.summary, style.width)].join("\n");
}

/** The lines that count the problems that are not shown, and name their files. */
function hiddenLines(hidden: readonly Problem[], { symbols, width }: Style): readonly string[] {
  if (hidden.length === 0) return [];
  const files = [...new Set(hidden.flatMap(({ place }) => (place === undefined ? [] : [visible(place.file)])))];
  const where = files.length === 0 ? "" : `, in ${someOf(files)}`;
  return wrap(`${symbols.ellipsis} and ${grouped(hidden.length)} more${where}. --json has all.`, width, "", "    ");
}

/** A problem without its hint if the next one repeats the hint, for example for each missing argument of a call. */
function beforeNext(problem: Problem, next: Problem | undefined): Problem {
  if (problem.place !== undefined || problem.hint !== next?.hint) return problem;
  const { hint: _hint, ...rest } = problem;
  return rest;
}

/** The lines for one problem: its place, code and message, then an excerpt and a hint. */
export function problemLines(problem: Problem, style: Style): readonly string[] {
  const { code, place, other, hint, address } = problem;
  const where = visible(problemWhere(problem));
  const start = where === "" ? code : `${where}  ${code}`;
  const [head = "", ...tail] = wrap(`${start}  ${visible(problem.message)}`, style.width, "", "    ");
  const isNamed = address === undefined || problem.message.includes(address);
  return [
    paintPart(style, legend.wrong.paint, paintPart(style, "bold", head, where), code),
    ...tail,
    ...(isNamed ? [] : wrap(`Resource: ${visible(address)}`, style.width, "  ", "    ")),
    ...(place === undefined ? [] : excerptLines(place, style)),
    ...(other === undefined ? [] : wrap(`See also ${visible(pointText(other))}`, style.width, "  ", "    ")),
    ...(other === undefined ? [] : excerptLines(other, style)),
    ...(hint === undefined ? [] : wrap(`Hint: ${visible(hint)}`, style.width, "  ", "    ")),
  ];
}

/** The lines around a place, with carets under the characters in question. */
function excerptLines({ line, column, length = 1, excerpt = [] }: Place, style: Style): readonly string[] {
  const { paint, symbols, width } = style;
  const digits = String(line).length;
  // One column stays free for a caret after the end of the line.
  const room = width - `  ${line} ${symbols.bar}  `.length;
  const at = visible((excerpt.at(-1) ?? "").slice(0, column - 1)).length;
  const gutter = (label: string) => paint("dim", `  ${label.padStart(digits)} ${symbols.bar}`);
  const shown = excerpt.map((text) => cut(visible(text), room, symbols.ellipsis, at));
  const last = shown.at(-1);
  if (last === undefined) return [];
  const marked = displayWidth(visible((excerpt.at(-1) ?? "").slice(column - 1, column - 1 + length)));
  const carets = "^".repeat(Math.max(1, Math.min(marked, room + 1 - last.column)));
  return [
    ...shown.map(({ text }, index) => `${gutter(String(line - excerpt.length + 1 + index))} ${text}`.trimEnd()),
    `${gutter("")} ${" ".repeat(last.column)}${paint(legend.wrong.paint, carets)}`,
  ];
}

function sorted(problems: readonly Problem[]): readonly Problem[] {
  return problems.toSorted(({ place: a }, { place: b }) => {
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
    return inOrder(a.file, b.file) || a.line - b.line || a.column - b.column;
  });
}
