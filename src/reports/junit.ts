import { escapeXml } from "../core/xml.ts";
import { neutralLine } from "./neutral.ts";
import { commandOf, type ResourceRow, resourceRows, type Subject, valueText } from "./summary.ts";

/** What came of a resource, in the words of JUnit. */
interface Case {
  readonly classname: string;
  readonly name: string;
  readonly outcome: "passed" | "failure" | "error" | "skipped";
  readonly message: string;
  readonly text: string;
}

/** Every resource as a test case, by service. In a plan, what an apply would close passes; in drift, it fails. */
export function renderJunit(subject: Subject): string {
  const rows = resourceRows(subject);
  const suites = [...Map.groupBy(rows, ({ service }) => service)].map(([service, own]) =>
    suite(
      service,
      own.map((row) => caseOf(row, commandOf(subject))),
    ),
  );
  const refusals = subject.plan.refusals.map(
    ({ code, message }): Case => ({ classname: "plan", name: code, outcome: "failure", message, text: "" }),
  );
  const all = [...suites, ...(refusals.length === 0 ? [] : [suite("refusals", refusals)])];
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${neutralXml(`setpoint ${commandOf(subject)}`)}">\n${all.join("")}</testsuites>\n`;
}

function suite(name: string, cases: readonly Case[]): string {
  const count = (outcome: Case["outcome"]) => cases.filter((one) => one.outcome === outcome).length;
  const counts = `tests="${cases.length}" failures="${count("failure")}" errors="${count("error")}" skipped="${count("skipped")}"`;
  return `  <testsuite name="${neutralXml(name)}" ${counts}>\n${cases.map(caseElement).join("")}  </testsuite>\n`;
}

function caseElement({ classname, name, outcome, message, text }: Case): string {
  const start = `    <testcase classname="${neutralXml(classname)}" name="${neutralXml(name)}"`;
  if (outcome === "passed") return `${start}/>\n`;
  const words = `message="${neutralXml(message)}"`;
  return `${start}>\n      <${outcome} ${words}>${text.split("\n").map(neutralXml).join("\n")}</${outcome}>\n    </testcase>\n`;
}

function caseOf(row: ResourceRow, command: ReturnType<typeof commandOf>): Case {
  const { service, kind, address, problem, fields, where } = row;
  const lines = fields.map(
    ({ path, live, desired }) => `${path.join(".")}: ${valueText(live)} → ${valueText(desired)}`,
  );
  const more = [...(problem?.hint === undefined ? [] : [problem.hint]), ...lines, ...(where === "" ? [] : [where])];
  const outcome = outcomeOf(row, command);
  const message = problem === undefined ? [row.action, row.verdict].join(", ") : `${problem.code} ${problem.message}`;
  return { classname: `${service}.${kind}`, name: address, outcome, message, text: more.join("\n") };
}

function outcomeOf({ action, verdict, result }: ResourceRow, command: ReturnType<typeof commandOf>): Case["outcome"] {
  if (verdict === "unknown") return "error";
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
      return verdict !== "in sync" && (command === "drift" || action === "check") ? "failure" : "passed";
  }
}

/** Text between tags or in an attribute's quotes of XML 1.0, which lacks some characters altogether. */
function neutralXml(text: string): string {
  const known = neutralLine(text).replace(
    /[\ufffe\uffff]/g,
    (character) => `\\u{${character.charCodeAt(0).toString(16)}}`,
  );
  return escapeXml(known, "attribute");
}
