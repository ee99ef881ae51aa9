import type { Problem } from "../../core/problem.ts";
import type { Plan, RuleChange, Trusted, UnknownResource } from "../../core/run/plan.ts";
import type { Json } from "../../core/text/json.ts";
import { shortCommit } from "../../core/text/words.ts";
import { lineText } from "../places.ts";
import { continuation, cutFrom, listLines, startOfPair, wrap } from "./layout.ts";
import { problemLines } from "./problems.ts";
import { type ScreenOptions, type Style, styleOf, visibleStrings } from "./style.ts";

/** The most changed rules to list, and the most problems that they would cause; the rest are counted. */
const mostListed = 21;

/** Renders the trusted rules alone, before there is a plan. */
export function renderTrusted(trusted: Trusted, options: ScreenOptions): string {
  const shown = visibleStrings({ trusted, unknown: [] });
  return trustedLines(shown, false, styleOf(options)).join("\n");
}

/** The lines for the rules that judged a plan, what the workspace changes in them, and what these changes would do. */
export function trustedLines(
  { trusted, unknown }: Pick<Plan, "trusted" | "unknown">,
  all: boolean,
  style: Style,
): readonly string[] {
  if (trusted === undefined) return [];
  const { changes } = trusted;
  if (changes.length === 0) return wrap(rulesWords(trusted), style.width);
  const problems = judgedDifferently(trusted, unknown);
  const list = { most: mostListed, all, indent: "  " };
  return [
    ...wrap(`${rulesWords(trusted)}:`, style.width).map((line) => style.paint("bold", line)),
    ...listLines(changes, list, style, (change) => wrap(changeWords(change, style), style.width, "  ", continuation)),
    ...(problems.length === 0 ? [] : [style.paint("bold", "Once merged, this is judged differently:")]),
    ...listLines(problems, list, style, (problem) => problemLines(problem, style)),
  ];
}

/** Whose rules judged a plan, each part as `written` writes it, and whether the workspace changes them. */
export function rulesWords({ ref, commit, changes }: Trusted, written: (text: string) => string = String): string {
  const at = `${written(ref)}${commit === undefined ? "" : ` (${written(shortCommit(commit))})`}`;
  const change = changes.length === 0 ? ", which are the same here." : ". This pull request changes them";
  return `Judged by the rules at ${at}${change}`;
}

/** What is judged differently once the rules of the workspace are merged. */
export function judgedDifferently({ onceMerged }: Trusted, unknown: readonly UnknownResource[]): readonly Problem[] {
  const problems = unknown.map(({ problem }) => problem);
  return [...onceMerged, ...problems.filter(({ code }) => code === "SP1023")];
}

function changeWords({ file, path, trusted, head, place }: RuleChange, style: Style): string {
  const where = lineText(place) || file;
  const name = path.length === 0 ? "the whole file" : path.join(".");
  const { arrow, ellipsis } = style.symbols;
  const [before, after] = [valueText(trusted), valueText(head)];
  const start = startOfPair(before, after, longestValue);
  const values = [before, after].map((text) => cutFrom(text, start, longestValue, ellipsis));
  return `${where}  ${name}  ${values.join(` ${arrow} `)}`;
}

/** The maximum width of a value, in columns. */
const longestValue = 80;

function valueText(value: Json | undefined): string {
  return value === undefined ? "nothing" : JSON.stringify(value);
}
