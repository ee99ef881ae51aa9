import type { Problem } from "../../core/problem.ts";
import { escapeXml } from "../../core/text/xml.ts";
import { neutralLine } from "../neutral.ts";
import {
  acknowledgementText,
  commandOf,
  type PlannedRun,
  type ResourceRow,
  type RunResult,
  resourceRows,
  type Unplanned,
  valueText,
} from "../text/summary.ts";

/** The outcome of a resource, in the terms of JUnit. */
interface Case {
  readonly classname: string;
  readonly name: string;
  readonly outcome: "passed" | "failure" | "error" | "skipped";
  /** The verdict, or the code of the problem. */
  readonly type: string;
  readonly message: string;
  readonly text: string;
}

/**
 * Renders every resource as a test case, by service. A difference that an apply would close passes in a plan and fails in a
 * drift. An acknowledged one is skipped. A run without a plan has a case for each of its problems.
 */
export function renderJunit(result: RunResult): string {
  const suites = ("problems" in result ? problemSuites(result) : planSuites(result)).filter(
    ({ cases }) => cases.length > 0,
  );
  const name = neutralXml(`setpoint ${commandOf(result)}`);
  const all = suites.flatMap(({ cases }) => cases);
  const counts = countsOf(all, ["tests", "failures", "errors"]);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${name}" ${counts}>\n${suites.map(suiteElement).join("")}</testsuites>\n`;
}

interface Suite {
  readonly name: string;
  readonly cases: readonly Case[];
}

function planSuites(subject: PlannedRun): readonly Suite[] {
  const { plan, report } = subject;
  const command = commandOf(subject);
  return [
    ...[...Map.groupBy(resourceRows(subject), ({ service }) => service)].map(([name, rows]) => ({
      name,
      cases: rows.map((row) => caseOf(row, command)),
    })),
    { name: "refusals", cases: plan.refusals.map((problem) => problemCase("plan", "failure", problem)) },
    { name: "run", cases: (report?.problems ?? []).map((problem) => problemCase("run", "error", problem)) },
  ];
}

function problemSuites({ command, problems }: Unplanned): readonly Suite[] {
  const sound: Case = { classname: command, name: "manifests", outcome: "passed", type: "", message: "", text: "" };
  const cases = problems.map((problem) => problemCase(problem.place?.file ?? command, "error", problem));
  return [{ name: command, cases: cases.length === 0 ? [sound] : cases }];
}

function problemCase(classname: string, outcome: "failure" | "error", problem: Problem): Case {
  const { code, message, hint, address, place } = problem;
  const where = place === undefined ? "" : `${place.file}:${place.line}:${place.column}`;
  const name = [code, where, address ?? ""].filter((part) => part !== "").join(" ");
  const text = [...(hint === undefined ? [] : [hint]), ...(where === "" ? [] : [where])].join("\n");
  return { classname, name, outcome, type: code, message, text };
}

function suiteElement({ name, cases }: Suite): string {
  const counts = countsOf(cases, ["tests", "failures", "errors", "skipped"]);
  return `  <testsuite name="${neutralXml(name)}" ${counts}>\n${cases.map(caseElement).join("")}  </testsuite>\n`;
}

function countsOf(cases: readonly Case[], names: readonly ("tests" | "failures" | "errors" | "skipped")[]): string {
  const outcomes = { failures: "failure", errors: "error", skipped: "skipped" } as const;
  return names
    .map((name) => {
      const counted = name === "tests" ? cases : cases.filter(({ outcome }) => outcome === outcomes[name]);
      return `${name}="${counted.length}"`;
    })
    .join(" ");
}

function caseElement({ classname, name, outcome, type, message, text }: Case): string {
  const start = `    <testcase classname="${neutralXml(classname)}" name="${neutralXml(name)}"`;
  if (outcome === "passed") return `${start}/>\n`;
  const words = `type="${neutralXml(type)}" message="${neutralXml(message)}"`;
  return `${start}>\n      <${outcome} ${words}>${text.split("\n").map(neutralXml).join("\n")}</${outcome}>\n    </testcase>\n`;
}

function caseOf(row: ResourceRow, command: ReturnType<typeof commandOf>): Case {
  const { service, kind, address, problem, fields, where, verdict, acknowledged } = row;
  const outcome = outcomeOf(row, command);
  const left = acknowledged.map(acknowledgementText);
  const lines = fields.map(
    ({ path, live, desired }) => `${path.join(".")}: ${valueText(live)} → ${valueText(desired)}`,
  );
  const message =
    problem !== undefined
      ? `${problem.code} ${problem.message}`
      : verdict === "acknowledged"
        ? left.join("; ")
        : [row.action, verdict].join(", ");
  const more = [
    ...(problem?.hint === undefined ? [] : [problem.hint]),
    ...lines,
    ...(verdict === "acknowledged" ? [] : left),
    ...(where === "" ? [] : [where]),
  ];
  const common = { classname: `${service}.${kind}`, name: address, type: problem?.code ?? verdict };
  return { ...common, outcome, message, text: more.join("\n") };
}

function outcomeOf(row: ResourceRow, command: ReturnType<typeof commandOf>): Case["outcome"] {
  const { action, verdict, result } = row;
  if (verdict === "unknown") return "error";
  if (verdict === "acknowledged") return "skipped";
  if (verdict === "in sync") return "passed";
  switch (result) {
    case "applied":
      return "passed";
    case "failed":
    case "stale":
      return "failure";
    case "unknown":
      return "error";
    case "skipped":
      return "skipped";
    case undefined:
      return command === "drift" || action === "check" ? "failure" : "passed";
  }
}

/** Escapes text for an element or a quoted attribute of XML 1.0, which does not allow all characters. */
function neutralXml(text: string): string {
  const known = neutralLine(text).replace(
    /[\ufffe\uffff]/g,
    (character) => `\\u{${character.charCodeAt(0).toString(16)}}`,
  );
  return escapeXml(known, "attribute");
}
