import type { SchemaIssue } from "../../core/text/issues.ts";
import { type SpecShape, shapeOf } from "../../core/text/json-schema.ts";
import { enumerated, quote } from "../../core/text/words.ts";
import { problemAt, type ReportProblem } from "../yaml/source-text.ts";
import { entryOf, type Mapping } from "../yaml/tree.ts";
import { Envelope } from "./manifest-schema.ts";

const envelope = shapeOf(Envelope);

/**
 * Returns the issues of a document, except those for top-level fields that belong under spec or metadata, and those that
 * follow from them, such as a missing or empty spec. The misplaced fields are reported, with one problem for each level.
 */
export function withoutMisplaced(
  document: Mapping,
  kind: SpecShape | undefined,
  issues: readonly SchemaIssue[],
  report: ReportProblem,
): readonly SchemaIssue[] {
  const ofSpec = kind?.fieldsAt([]) ?? [];
  const belongs = { spec: ofSpec, metadata: fieldsBut(["metadata"], ofSpec) };
  const settled = (["spec", "metadata"] as const).filter((level) =>
    reportMisplaced(document, issues, belongs[level], level, report),
  );
  const isOfEmptyLevel = ({ path: [first] }: SchemaIssue) =>
    settled.some((level) => level === first && isEmpty(document, level));
  return withoutNames(
    issues,
    settled.flatMap((level) => belongs[level]),
  ).filter((issue) => !isOfEmptyLevel(issue));
}

/** Returns the issues of a specification, except those for fields of the document or its metadata, which it reports. */
export function withoutMetadata(
  spec: Mapping,
  kind: SpecShape,
  issues: readonly SchemaIssue[],
  report: ReportProblem,
): readonly SchemaIssue[] {
  const fields = kind.fieldsAt([]);
  const [ofMetadata, ofDocument] = [fieldsBut(["metadata"], fields), fieldsBut([], fields)];
  reportMisplaced(spec, issues, ofMetadata, "metadata", report);
  reportMisplaced(spec, issues, ofDocument, "document", report);
  return withoutNames(issues, [...ofMetadata, ...ofDocument]);
}

/** Returns the fields of a document at a path, except those with the name of a field of the specification. */
function fieldsBut(path: readonly string[], ofSpec: readonly string[]): readonly string[] {
  return envelope.fieldsAt(path).filter((name) => !ofSpec.includes(name));
}

/** Returns the issues without those names of unknown top-level fields that are already reported. */
function withoutNames(issues: readonly SchemaIssue[], told: readonly string[]): readonly SchemaIssue[] {
  return issues.map((issue) =>
    isOfTop(issue) ? { ...issue, keys: issue.keys.filter((name) => !told.includes(name)) } : issue,
  );
}

function reportMisplaced(
  owner: Mapping,
  issues: readonly SchemaIssue[],
  fields: readonly string[],
  level: "spec" | "metadata" | "document",
  report: ReportProblem,
): boolean {
  const names = issues.flatMap((issue) => (isOfTop(issue) ? issue.keys : [])).filter((name) => fields.includes(name));
  const [first] = names;
  const entry = first === undefined ? undefined : entryOf(owner, first);
  if (entry === undefined) return false;
  const all = `${enumerated(names.map(quote))} ${names.length === 1 ? "belongs" : "belong"}`;
  const it = names.length === 1 ? "it" : "them";
  const [message, hint] =
    level === "document"
      ? [`${all} beside spec, not below it.`, `Start ${it} in the same column as spec.`]
      : [`${all} below ${level}.`, `Write ${it} below a line ${quote(`${level}:`)}, indented by two spaces.`];
  report(problemAt(entry.key, "SP1004", message, { hint }));
  return true;
}

function isOfTop(issue: SchemaIssue): issue is Extract<SchemaIssue, { readonly code: "unrecognized_keys" }> {
  return issue.code === "unrecognized_keys" && issue.path.length === 0;
}

/** Whether a field is missing or has nothing after its colon. */
function isEmpty(document: Mapping, name: string): boolean {
  const value = entryOf(document, name)?.value;
  return value === undefined || (value.is === "scalar" && value.value === null && value.written === "");
}
