import type { Recorded } from "../../core/run/outcome.ts";
import type { Basis } from "../../core/run/plan.ts";
import { counted, grouped, shortCommit } from "../../core/text/words.ts";
import { leftOutLine, wrap } from "./layout.ts";
import { type ScreenOptions, type Style, styleOf, visibleStrings } from "./style.ts";

/** The base, its age and what came since, each part as `written` writes it. Empty if the manifests are at the base. */
export function basisWords(basis: Basis | undefined, written: (text: string) => string = String): string {
  if (basis === undefined || (basis.relation === "before" && basis.commits === 0)) return "";
  const { ref, commit, age, commits, relation } = basis;
  const since = {
    before: `${counted(commits, "commit")} since:`,
    apart: "The manifests are not based on it: they are older, or on another branch.",
    unknown: "The clone is too shallow to list what came since: git fetch --unshallow origin.",
  };
  return `Base: ${written(ref)}, ${written(shortCommit(commit))}, ${written(age)} old. ${since[relation]}`;
}

/** The lines for the base, and the subjects of the commits since. */
export function basisLines(basis: Basis | undefined, all: boolean, style: Style): readonly string[] {
  const words = basisWords(basis);
  if (basis === undefined || words === "") return [];
  const { commits, subjects, relation } = basis;
  const shown = all ? subjects : subjects.slice(0, 3);
  const lines = [...wrap(words, style.width), ...shown.flatMap((subject) => wrap(subject, style.width, "  ", "    "))];
  const more = commits - shown.length;
  return [
    ...(relation === "before" ? lines.map((line) => style.paint("dim", line)) : lines),
    ...leftOutLine(more, `${grouped(more)} more`, "  ", style),
  ];
}

/** Says whether the recorded ref was moved. */
export function renderRecorded(recorded: Recorded, options: ScreenOptions): string {
  const style = styleOf(options);
  const { ref, commit, moved, problem } = visibleStrings(recorded);
  if (moved) return wrap(`${ref} now names ${shortCommit(commit)}: everything is applied.`, style.width).join("\n");
  const reason = problem?.message ?? "the apply was not complete.";
  return wrap(
    `${ref} was not moved: ${reason}${problem?.hint === undefined ? "" : ` ${problem.hint}`}`,
    style.width,
  ).join("\n");
}
