import type { Problem } from "../../core/problem.ts";
import { acknowledgementText } from "../acknowledged.ts";
import { neutralXml } from "../neutral.ts";
import { pointText } from "../places.ts";
import {
  commandOf,
  type PlannedRun,
  type ResourceRow,
  type RunCommand,
  type RunResult,
  resourceRows,
  type Unplanned,
} from "../text/summary.ts";
import { fieldChange } from "../values.ts";

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
  const where = place && pointText(place);
  const name = present([code, where, address]).join(" ");
  return { classname, name, outcome, type: code, message, text: present([hint, where]).join("\n") };
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

function caseOf(row: ResourceRow, command: RunCommand): Case {
  const { service, kind, address, problem, fields, where, verdict, acknowledged } = row;
  const outcome = outcomeOf(row, command);
  const left = acknowledged.map(acknowledgementText);
  const lines = fields.map((field) => fieldChange(field, String));
  const message =
    problem !== undefined
      ? `${problem.code} ${problem.message}`
      : verdict === "acknowledged"
        ? left.join("; ")
        : `${row.action}, ${verdict}`;
  const text = present([problem?.hint, ...lines, ...(verdict === "acknowledged" ? [] : left), where]).join("\n");
  return { classname: `${service}.${kind}`, name: address, outcome, type: problem?.code ?? verdict, message, text };
}

function present(parts: readonly (string | undefined)[]): readonly string[] {
  return parts.flatMap((part) => (part === undefined || part === "" ? [] : [part]));
}

function outcomeOf(row: ResourceRow, command: RunCommand): Case["outcome"] {
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
