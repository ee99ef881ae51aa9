import type { z } from "zod";
import type { Problem } from "../../core/problem.ts";
import { didYouMean, nearest } from "../../core/suggest.ts";
import { problemAt, quote, type ReportProblem } from "../yaml/source-text.ts";
import { entryOf, follow, ownerRange, type Spot, type Tree, valueRange } from "../yaml/tree.ts";
import { closestBranch, pathWords, wrongWords } from "./issue-words.ts";
import type { SpecShape } from "./spec-shape.ts";

type Issue = z.core.$ZodIssue;

/** What issues are about. */
export interface Subject {
  /** What a missing or unknown field belongs to, such as `BranchLock`; empty where its path alone says it. */
  readonly name: string;
  readonly root: Tree;
  /** Where in `root` the checked value stands. */
  readonly path: readonly PropertyKey[];
  readonly shape: SpecShape;
}

/**
 * Reports every issue of a Zod schema at the value or key that it is about: SP1002 wrong type or form, SP1003 missing,
 * SP1004 unknown. Passed over are values whose mistake was reported before, and secrets, which `reportSecrets` checks.
 */
export function reportIssues(subject: Subject, issues: readonly Issue[], report: ReportProblem): void {
  const misspelt = new Set(issues.flatMap((issue) => meantBy(subject, issue)));
  for (const issue of issues) {
    const spot = follow(subject.root, [...subject.path, ...issue.path]);
    const { tree, found } = spot;
    if (!found && misspelt.has(pathWords(issue.path))) continue;
    if (found && tree.is === "scalar" && (tree.broken || tree.secret || subject.shape.isSecret(issue.path))) continue;
    if (issue.code === "invalid_union") reportUnion(subject, issue, spot, report);
    else if (issue.code === "unrecognized_keys") reportUnknown(subject, issue, spot, report);
    else report(problemOf(subject, issue, spot));
  }
}

/** The fields that unknown ones were meant to be; those are not reported as missing too. */
function meantBy(subject: Subject, issue: Issue): readonly string[] {
  if (issue.code !== "unrecognized_keys") return [];
  const known = subject.shape.fieldsAt(issue.path);
  const names = issue.keys.map((name) => nearest(name, known)).filter((name) => name !== undefined);
  return names.map((name) => pathWords([...issue.path, name]));
}

/** Reports the issues of the alternative that was most likely meant. */
function reportUnion(subject: Subject, issue: z.core.$ZodIssueInvalidUnion, spot: Spot, report: ReportProblem): void {
  const branch = closestBranch(issue.errors);
  if (branch === undefined || !spot.found) {
    report(problemOf(subject, issue, spot));
    return;
  }
  const issues = branch.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
  reportIssues(subject, issues, report);
}

function reportUnknown(
  subject: Subject,
  issue: z.core.$ZodIssueUnrecognizedKeys,
  spot: Spot,
  report: ReportProblem,
): void {
  const known = subject.shape.fieldsAt(issue.path);
  for (const name of issue.keys) {
    const message = `${ownerWords(subject, issue.path)} has no field ${quote(name)}.${didYouMean(name, known)}`;
    report(problemAt(entryOf(spot.tree, name)?.key ?? valueRange(spot), "SP1004", message));
  }
}

function problemOf(subject: Subject, issue: Issue, spot: Spot): Problem {
  const { tree } = spot;
  const name = quote(String(issue.path.at(-1) ?? subject.name));
  if (!spot.found) {
    const message = `${ownerWords(subject, issue.path.slice(0, -1))} needs ${name}.`;
    return problemAt(ownerRange(spot), "SP1003", issue.code === "custom" ? `${issue.message}.` : message);
  }
  if (tree.is === "scalar" && tree.value === null && tree.written === "")
    return problemAt(valueRange(spot), "SP1003", `${name} has no value.`);
  if (issue.code === "invalid_key") {
    const reasons = issue.issues.map((inner) => inner.message).join(", ");
    return problemAt(spot.entry?.key ?? valueRange(spot), "SP1002", `The name ${name}: ${reasons}.`);
  }
  return problemAt(valueRange(spot), "SP1002", wrongWords(tree, issue));
}

function ownerWords(subject: Subject, path: readonly PropertyKey[]): string {
  return pathWords(path) || subject.name;
}
