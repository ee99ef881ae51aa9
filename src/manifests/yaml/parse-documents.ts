import { type Budget, mostWords } from "./budget.ts";
import { parseYaml } from "./parse-yaml.ts";
import { readPlain, readPlainAgain } from "./plain-yaml.ts";
import type { ReportProblem, SourceText } from "./source-text.ts";
import type { Tree } from "./tree.ts";

/** A document, and a function that returns its tree later: the trees of thousands of documents would fill the memory. */
export interface ParsedDocument {
  readonly tree: Tree;
  readonly again: () => Tree;
}

/**
 * Returns the documents of a manifest, with the result and the reports of `parseYaml`. Does not use the parser if the file
 * is plain enough and exceeds no limit.
 */
export function parseDocuments(source: SourceText, budget: Budget, report: ReportProblem): readonly ParsedDocument[] {
  const plain = readPlain(source, budget.limits.depth);
  if (plain === undefined || plain.words > mostWords || !budget.affords({ values: plain.values }))
    return parseYaml(source, budget, report).map((tree) => ({ tree, again: kept(tree) }));
  budget.spend({ source, start: 0, end: 0 }, { values: plain.values });
  return plain.documents.map((tree) => ({ tree, again: readAgain(tree) }));
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
