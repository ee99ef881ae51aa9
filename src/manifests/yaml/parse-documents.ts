import { ProblemError } from "../../core/problem.ts";
import { type Budget, mostWords, openBudget } from "./budget.ts";
import { lexemesOf, parseYaml } from "./parse-yaml.ts";
import { type PlainDocuments, readPlain, readPlainAgain } from "./plain-yaml.ts";
import { type Range, type ReportProblem, type SourceText, wholeOf } from "./source-text.ts";
import type { Tree } from "./tree.ts";

/** A document, and a function that returns its tree later: the trees of thousands of documents would fill the memory. */
export interface ParsedDocument {
  readonly tree: Tree;
  readonly again: () => Tree;
}

/**
 * Returns the documents of a manifest, with the result and the reports of `parseYaml`. Uses the parser only for documents
 * that are not plain, unless there is an error or the file exceeds a limit.
 */
export function parseDocuments(source: SourceText, budget: Budget, report: ReportProblem): readonly ParsedDocument[] {
  const plain = readPlain(source, budget.limits.depth);
  if (plain !== undefined) {
    if (wordsAtMost(source, plain) > mostWords && lexemesOf(wholeOf(source), report) === undefined) return [];
    const takeBack = budget.mark();
    try {
      return withParts(source, plain, budget);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      // An error can depend on the whole file.
      takeBack();
    }
  }
  return parseYaml(wholeOf(source), budget, report).map((tree) => ({ tree, again: kept(tree) }));
}

/** An upper bound on the words and signs of a file, for which it is not read again. */
export function wordsAtMost(source: SourceText, { documents, values }: PlainDocuments): number {
  const parsed = documents.reduce((sum, one) => sum + (one.is === "part" ? one.end - one.start : 0), 0);
  return 14 * values + 6 * source.lineStarts().length + 3 * parsed;
}

/** Parses the parts. Throws `ProblemError` if something is wrong. */
function withParts(source: SourceText, plain: PlainDocuments, budget: Budget): readonly ParsedDocument[] {
  const { documents, values } = plain;
  budget.spend({ source, start: 0, end: 0 }, { values });
  return documents.flatMap((one) => {
    if (one.is !== "part") return [{ tree: one, again: readAgain(one) }];
    const part = { source, start: one.start, end: one.end };
    const trees = parseYaml(part, budget, (problem) => {
      throw new ProblemError(problem);
    });
    return trees.map((tree, at) => ({ tree, again: parseAgain(part, at, budget) }));
  });
}

/** The same for a file whose trees are not needed again, and whether nothing was reported. */
export function readDocuments(source: SourceText, budget: Budget, report: ReportProblem) {
  let isSound = true;
  const documents = parseDocuments(source, budget, (problem) => {
    isSound = false;
    report(problem);
  });
  return { documents: documents.map(({ tree }) => tree), isSound };
}

/** Returns a function that keeps a tree, because it cannot be read again. */
export function kept(tree: Tree): () => Tree {
  return () => tree;
}

/** Returns a function that reads a tree again. Separate, because its closure must not keep the tree. */
function readAgain({ source, start }: Tree): () => Tree {
  return () => readPlainAgain(source, start);
}

/** Returns a function that parses a part again, and returns its document at an index. */
function parseAgain(part: Range, index: number, { limits }: Budget): () => Tree {
  return () => {
    const tree = parseYaml(part, openBudget(limits), () => {})[index];
    if (tree === undefined) throw new Error(`${part.source.file} has no document at ${part.start}`);
    return tree;
  };
}
