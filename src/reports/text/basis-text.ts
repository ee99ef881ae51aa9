import type { Recorded } from "../../core/run/outcome.ts";
import type { Basis } from "../../core/run/plan.ts";
import { counted, grouped, shortCommit } from "../../core/text/words.ts";
import { wrap } from "./layout.ts";
import { type ScreenOptions, type Style, styleOf, visibleStrings } from "./style.ts";

/** The lines for the base's age and the commits since; empty if the manifests are at the base. */
export function basisLines(basis: Basis | undefined, all: boolean, style: Style): readonly string[] {
  if (basis === undefined || (basis.relation === "before" && basis.commits === 0)) return [];
  const { ref, commit, age, commits, subjects } = basis;
  const base = `Base: ${ref}, ${shortCommit(commit)}, ${age} old`;
  switch (basis.relation) {
    case "apart":
      return wrap(`${base}. The manifests are not based on it: they are older, or on another branch.`, style.width);
    case "unknown":
      return wrap(
        `${base}. The clone is too shallow to list what came since: git fetch --unshallow origin.`,
        style.width,
      );
    case "before": {
      const shown = all ? subjects : subjects.slice(0, 3);
      const more = commits - shown.length;
      return [
        ...wrap(`${base}. ${counted(commits, "commit")} since:`, style.width),
        ...shown.flatMap((subject) => wrap(subject, style.width, "  ", "    ")),
        ...(more > 0 ? [`  ${style.symbols.ellipsis} ${grouped(more)} more`] : []),
      ].map((line) => style.paint("dim", line));
    }
  }
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
