import type { Problem } from "../../core/problem.ts";
import { neutralCsv } from "../neutral.ts";
import { lineText } from "../places.ts";
import { type ResourceRow, type RunResult, resourceRows } from "../text/summary.ts";

const columns = ["address", "service", "kind", "action", "verdict", "risks", "result", "problem", "place"] as const;

type Cells = { readonly [Column in (typeof columns)[number]]?: string | undefined };

/** Renders every resource, or every problem, as a row for a spreadsheet. @see RFC 4180 */
export function renderCsv(result: RunResult): string {
  const rows = "problems" in result ? result.problems.map(problemCells) : resourceRows(result).map(resourceCells);
  const lines = rows.map((cells) => columns.map((column) => neutralCsv(cells[column] ?? "")).join(","));
  return [columns.join(","), ...lines, ""].join("\r\n");
}

function resourceCells({ risks, problem, where, ...row }: ResourceRow): Cells {
  return { ...row, risks: risks.join(" "), problem: problem && `${problem.code} ${problem.message}`, place: where };
}

function problemCells({ address, service, code, message, place }: Problem): Cells {
  return { address, service, problem: `${code} ${message}`, place: lineText(place) };
}
