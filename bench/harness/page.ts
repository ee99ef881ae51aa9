import { isMet, shown, targetText } from "./figures.ts";
import { mediansTable } from "./medians-table.ts";
import type { CaseResult, Machine, Results } from "./results.ts";

/** The page `docs/performance.md`. */
export function performancePage(results: Results | undefined): string {
  const head = `# Performance

The results of the last saved run of the benchmark. \`npm run bench\` measures again, and \`npm run bench -- --save\` writes
this page; [how it measures](../bench/README.md) says what it needs. Figures are medians of several runs, and the sides of a
comparison take turns within one run. Times are those of a whole process, including its start, unless a case says otherwise.
`;
  return results === undefined
    ? `${head}\nNo run was saved yet.\n`
    : `${head}${machineText(results.machine)}${summary(results.cases)}${results.cases.map(caseText).join("")}${gapsText(results.cases)}`;
}

function machineText({ processor, cores, memory, system, node, at }: Machine): string {
  return `
Measured on ${at}: ${processor}, ${cores} cores, ${Math.round(memory / 2 ** 30)} GiB, ${system}, Node ${node}.
`;
}

function summary(cases: readonly CaseResult[]): string {
  const rows = cases.flatMap(({ title, verdicts }) =>
    verdicts.map((verdict, index) => [
      index === 0 ? title : "",
      verdict.what,
      shown(verdict.value, verdict.unit),
      `${targetText(verdict)}${isMet(verdict) === false ? ", missed" : ""}`,
    ]),
  );
  return rows.length === 0 ? "" : `\n${markdownTable(["what", "measure", "measured", "target"], rows, [2])}\n`;
}

function caseText(result: CaseResult): string {
  const { head, rows } = mediansTable(result);
  if (rows.length === 0) return "";
  const right = head.map((_, column) => column).slice(1);
  return `\n## ${result.title}\n\n${result.how}\n\n${markdownTable(head, rows, right)}\n`;
}

function gapsText(cases: readonly CaseResult[]): string {
  const gaps = cases.flatMap(({ title, gaps }) => gaps.map(({ what, why }) => `- ${title}, ${what}: ${oneLine(why)}`));
  return gaps.length === 0 ? "" : `\n## Not measured\n\n${gaps.join("\n")}\n`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  right: readonly number[],
): string {
  const rule = head.map((_, column) => (right.includes(column) ? "---:" : "---"));
  return [head, rule, ...rows].map((row) => `| ${row.join(" | ")} |`.replaceAll(/ {2,}/g, " ")).join("\n");
}
