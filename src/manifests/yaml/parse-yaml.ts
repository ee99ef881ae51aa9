import { Composer, type Document, Lexer, type ParsedNode, Parser, type YAMLError } from "yaml";
import type { Budget } from "./budget.ts";
import { buildTree, maxDepth } from "./build-tree.ts";
import { problemAt, type Range, type ReportProblem, type SourceText } from "./source-text.ts";
import type { Tree } from "./tree.ts";

/** YAML 1.2 core whatever a `%YAML` line says; what the parser would check slowly, `buildTree` checks. */
export const yamlOptions = {
  version: "1.2",
  schema: "core",
  resolveKnownTags: false,
  uniqueKeys: false,
  prettyErrors: false,
  strict: true,
  logLevel: "silent",
} as const;

/** Syntax errors shown for one document; further ones mostly follow from the first. */
const maxErrors = 5;

/**
 * The documents of a YAML or JSON file that are not empty. A document with a syntax error is left out.
 * Reports SP1001, and SP1002, SP1004, SP1005, SP1011 and SP1014 as `buildTree` does.
 */
export function parseYaml(source: SourceText, budget: Budget, report: ReportProblem): readonly Tree[] {
  // Control characters are no YAML, and the parser uses some as its own marks.
  const control = /(?![\t\n\r])\p{Cc}/u.exec(source.text);
  if (control !== null) {
    const code = control[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
    const at = { source, start: control.index, end: control.index + 1 };
    report(problemAt(at, "SP1001", `The control character U+${code} may not stand in YAML.`));
    return [];
  }
  return withoutTraces(() => [...compose(source, report)]).flatMap((document) => {
    const errors = [...document.errors, ...document.warnings].sort((a, b) => a.pos[0] - b.pos[0]);
    for (const error of errors.slice(0, maxErrors)) reportSyntax(source, error, report);
    if (errors.length > 0 || document.contents === null) return [];
    const tree = buildTree(source, document.contents, budget, report);
    return tree.is === "scalar" && tree.written === "" ? [] : [tree];
  });
}

/** Feeds the parser word by word, to stop before its recursion is too deep; what stands before that is kept. */
function* compose(source: SourceText, report: ReportProblem): Generator<Document.Parsed<ParsedNode>> {
  const parser = new Parser();
  const composer = new Composer<ParsedNode>(yamlOptions);
  for (const lexeme of new Lexer().lex(source.text)) {
    for (const token of parser.next(lexeme)) yield* composer.next(token);
    if (parser.stack.length > maxDepth + 2) {
      const at = { source, start: parser.offset, end: parser.offset };
      report(problemAt(at, "SP1011", `Values are nested deeper than ${maxDepth} levels.`));
      yield* composer.end();
      return;
    }
  }
  for (const token of parser.end()) yield* composer.next(token);
  yield* composer.end();
}

/** The parser makes an error object for each mistake; their stack traces would take seconds for a hostile file. */
function withoutTraces<T>(work: () => T): T {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = limit;
  }
}

function reportSyntax(source: SourceText, error: YAMLError, report: ReportProblem): void {
  const [start, end] = error.pos;
  const at: Range = { source, start, end: Math.max(start + 1, end) };
  const message = /[.!?]$/.test(error.message) ? error.message : `${error.message}.`;
  report(problemAt(at, "SP1001", message, { hint: hintOf(error) }));
}

function hintOf(error: YAMLError): string | undefined {
  switch (error.code) {
    case "TAB_AS_INDENT":
      return "Indent with spaces: YAML does not allow tabs.";
    case "BAD_INDENT":
    case "BLOCK_IN_FLOW":
      return "Fields of one mapping start in the same column.";
    case "BAD_SCALAR_START":
    case "BLOCK_AS_IMPLICIT_KEY":
    case "MULTILINE_IMPLICIT_KEY":
      return 'Put text that holds ": " or starts with a special character in quotes.';
    case "BAD_DQ_ESCAPE":
      return "Double the backslash, or use single quotes.";
    case "TAG_RESOLVE_FAILED":
      return "Manifests have no tags.";
    default:
      return undefined;
  }
}
