import type { Problem } from "../../core/problem.ts";
import { neutralCsv } from "../neutral.ts";
import { lineText } from "../places.ts";
import { type PlannedRun, type RunResult, resourceRows } from "../text/summary.ts";

const columns = ["address", "service", "kind", "action", "verdict", "risks", "result", "problem", "place"] as const;

/** Renders every resource, or every problem, as a row for a spreadsheet. @see RFC 4180 */
export function renderCsv(result: RunResult): string {
  const cells = "problems" in result ? result.problems.map(problemCells) : resourceCells(result);
  const lines = cells.map((row) => row.map(neutralCsv).join(","));
  return [columns.join(","), ...lines, ""].join("\r\n");
}

function resourceCells(subject: PlannedRun): readonly (readonly string[])[] {
  return resourceRows(subject).map(
    ({ address, service, kind, action, verdict, risks, result = "", problem, where }) => [
      address,
      service,
      kind,
      action,
      verdict,
      risks.join(" "),
      result,
      problem === undefined ? "" : `${problem.code} ${problem.message}`,
      where,
    ],
  );
}

function problemCells({ address = "", service = "", code, message, place }: Problem): readonly string[] {
  return [address, service, "", "", "", "", "", `${code} ${message}`, lineText(place)];
}
