import type { Problem } from "../../core/problem.ts";
import { type Mistake, mistakesOf, named, type SchemaIssue } from "../../core/text/issues.ts";
import type { SpecShape } from "../../core/text/json-schema.ts";
import { quote, someOf } from "../../core/text/words.ts";
import { maxMistakes, problemAt, type ReportProblem } from "../yaml/source-text.ts";
import { follow, ownerRange, plain, type Spot, type Tree, valueRange, valueWords } from "../yaml/tree.ts";

/** The value that issues are about. */
export interface CheckedTree {
  /** What a missing or unknown field belongs to, such as `BranchLock`; empty if the path alone shows it. */
  readonly name: string;
  readonly root: Tree;
  /** The path of the checked value in `root`. */
  readonly path: readonly PropertyKey[];
  readonly shape: SpecShape;
}

/**
 * Reports every issue of a Zod schema at the value or key that it is about: SP1002 wrong type or form, SP1003 missing,
 * SP1004 unknown. Skips values whose error is already reported, and secrets, which `reportSecrets` checks.
 */
export function reportIssues(subject: CheckedTree, issues: readonly SchemaIssue[], report: ReportProblem): void {
  const { name, root, path: top, shape } = subject;
  const valueAt = (path: readonly PropertyKey[]) => {
    const { tree, found } = follow(root, [...top, ...path]);
    return { found, words: valueWords(tree), value: plain(tree) };
  };
  const subjectOf = { nameOf: named(name), valueAt, fieldsAt: shape.fieldsAt };
  for (const mistake of mistakesOf(subjectOf, issues.slice(0, maxMistakes).map(shortened))) {
    const spot = follow(root, [...top, ...mistake.path]);
    const { tree, found } = spot;
    const isTold = found && tree.is === "scalar" && (tree.broken || tree.secret || shape.isSecret(mistake.path));
    if (!isTold || mistake.is === "unknown") report(problemOf(name, spot, mistake, shape));
  }
}

/** Returns an issue without the names that would not be reported anyway: searching for suggestions is slow. */
function shortened(issue: SchemaIssue): SchemaIssue {
  return issue.code === "unrecognized_keys" ? { ...issue, keys: issue.keys.slice(0, maxMistakes) } : issue;
}

function problemOf(name: string, spot: Spot, { is, path, sentence }: Mistake, { fieldsAt }: SpecShape): Problem {
  const { tree } = spot;
  switch (is) {
    case "unknown":
      return problemAt(spot.entry?.key ?? valueRange(spot), "SP1004", sentence, {
        hint: fieldsHint(sentence, fieldsAt(path.slice(0, -1))),
      });
    case "missing":
      return problemAt(ownerRange(spot), "SP1003", sentence);
    case "misnamed":
      return problemAt(spot.entry?.key ?? valueRange(spot), "SP1002", sentence);
    case "wrong":
      return tree.is === "scalar" && tree.value === null && tree.written === ""
        ? problemAt(valueRange(spot), "SP1003", `${quote(String(path.at(-1) ?? name))} has no value.`, {
            hint: isBeforeComment(spot) ? "What follows # is a comment: put the text in quotes." : undefined,
          })
        : problemAt(valueRange(spot), "SP1002", sentence, { hint: formHint(tree, sentence, fieldsAt(path)) });
  }
}

/** Names the fields of what has none of this name, unless the sentence suggests one. */
function fieldsHint(sentence: string, fields: readonly string[]): string | undefined {
  return sentence.endsWith("?") || fields.length === 0 ? undefined : `Its fields: ${someOf(fields)}.`;
}

/** Whether there is a comment where a value was meant, such as the number of a ticket. */
function isBeforeComment({ entry }: Spot): boolean {
  return entry !== undefined && /^["']?: +#\S/.test(entry.key.source.text.slice(entry.key.end, entry.key.end + 20));
}

/** Returns a hint on how to turn a list into a mapping with these fields, a mapping into a list, or a value into a mapping. */
function formHint(tree: Tree, sentence: string, fields: readonly string[]): string | undefined {
  if (tree.from?.source.file === "--var") return "--var gives text: give another value with --values.";
  if (tree.is === "scalar" && fields.length > 0 && sentence.endsWith(" is not a mapping."))
    return `Write fields below it: ${someOf(fields)}.`;
  if (tree.is === "list" && tree.entries.length > 0 && sentence.startsWith("Expected a mapping,"))
    return "Write the fields below each other, without - before them.";
  if (tree.is !== "mapping" || !sentence.startsWith("Expected a list,")) return undefined;
  return tree.entries[0]?.key.name.startsWith("-") === true
    ? "Write a space after each -."
    : "Begin each entry with - and a space, or write them in [ ].";
}
