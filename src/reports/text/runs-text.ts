import type { PastRun } from "../../core/run/past-run.ts";
import { counted, someOf } from "../../core/text/words.ts";
import { legend } from "../meanings.ts";
import { meaningOf, resultCounts, seriousFirst } from "../result-counts.ts";
import { inColumns, pad, together, wrap } from "./layout.ts";
import { paintPart, type ScreenOptions, type Style, styleOf, visibleStrings } from "./style.ts";

/** Renders the runs, one line each. */
export function renderRuns(runs: readonly PastRun[], options: ScreenOptions): string {
  if (runs.length === 0) return "No run has left a journal here.";
  const style = styleOf(options);
  const rows = visibleStrings(runs).map((run) => [run.run, run.by ?? "", stateOf(run), resultsOf(run)]);
  return inColumns(rows)
    .flatMap((cells) => wrap(cells.join("  ").trimEnd(), style.width, "", "    "))
    .join("\n");
}

/** Renders one run with its changes, and the calls whose result is not known. */
export function renderRun(shown: PastRun, options: ScreenOptions): string {
  const style = styleOf(options);
  const run = visibleStrings(shown);
  const head = [`Run ${run.run}`, ...(run.by === undefined ? [] : [`by ${run.by}`]), stateOf(run), resultsOf(run)];
  const lines = [
    wrap(head.filter((part) => part !== "").join(", "), style.width),
    seriousFirst
      .flatMap((result) => run.changes.filter((change) => change.result === result))
      .flatMap(({ address, action = "change", result, problem }) => [
        ...changeLines(`${action} ${address}`, result, style),
        ...(problem === undefined || result === "skipped"
          ? []
          : wrap(`${problem.code}  ${problem.message}`, style.width, "      ")),
      ]),
    run.open.flatMap(({ service, operation, carries }) =>
      wrap(`open: ${service}.${operation} of ${carries.join(", ")}`, style.width, "  ", "    "),
    ),
  ];
  const hint = run.open.length === 0 ? [] : ["The journal does not say what became of open calls: plan to see."];
  return [...lines.flat(), ...hint].join("\n");
}

function changeLines(what: string, result: PastRun["changes"][number]["result"], style: Style): readonly string[] {
  const { paint } = legend[meaningOf([result])];
  return wrap(`${pad(result, 8)} ${what}`, style.width, "  ", "      ").map((line) =>
    paintPart(style, paint, line, result),
  );
}

function stateOf({ state, torn, damaged }: PastRun): string {
  const words = { ended: "ended", stopped: "interrupted", open: "cut off, or still running" }[state];
  return [
    words,
    ...(torn ? ["last line torn"] : []),
    ...(damaged.length > 0 ? [`damaged in line ${someOf(damaged)}`] : []),
  ].join(", ");
}

function resultsOf({ changes, open }: PastRun): string {
  const counts = resultCounts(changes.map(({ result }) => result));
  return [...counts, ...(open.length > 0 ? [`${counted(open.length, "call")} open`] : [])].map(together).join(", ");
}
