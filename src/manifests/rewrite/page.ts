import {
  type Alias,
  isAlias,
  isCollection,
  isNode,
  isPair,
  isScalar,
  type Node,
  type Pair,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { ProblemError } from "../../core/problem.ts";
import { problemAt, type SourceText } from "../yaml/source-text.ts";

/** A range of text to replace; an empty range is an insertion. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A document in its file, parts of which are rewritten. */
export interface SourcePage {
  readonly source: SourceText;
  readonly newline: string;
  /** Whether the file is JSON, in which all names and texts are in double quotes. */
  readonly isJson: boolean;
  /** Anchors that aliases in the document refer to. */
  readonly aliased: ReadonlySet<string>;
}

/** Applies edits to a text. Of the edits at one place, insertions come first, in their order. */
export function withEdits(text: string, edits: readonly Edit[]): string {
  const ordered = edits.toSorted((a, b) => a.start - b.start || a.end - b.end);
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, text: replacement } of ordered) {
    parts.push(text.slice(at, start), replacement);
    at = Math.max(at, end);
  }
  return [...parts, text.slice(at)].join("");
}

export function startOf(node: Node): number {
  return node.range?.[0] ?? 0;
}

/** Returns where the content of a node ends: before comments and blank lines, but after the line break of a block scalar. */
export function endOf(node: Node): number {
  const [start = 0, end = start] = node.range ?? [];
  return isCollection(node) && node.flow !== true ? (endOfLast(node) ?? end) : end;
}

function endOfLast({ items }: Collection): number | undefined {
  const last: unknown = items.at(-1);
  if (isPair(last)) return endOfPair(last);
  return isNode(last) ? endOf(last) : undefined;
}

export function endOfPair({ key, value }: Pair): number {
  return isNode(value) ? endOf(value) : isNode(key) ? endOf(key) : 0;
}

export function lineStart({ source: { text } }: SourcePage, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1;
}

/** Returns the start of the line after the one on which something ends. */
export function lineAfter({ source: { text } }: SourcePage, end: number): number {
  if (end > 0 && text[end - 1] === "\n") return end;
  const at = text.indexOf("\n", end);
  return at === -1 ? text.length : at + 1;
}

/** Whether only indentation precedes an offset on its line. */
export function isFirstOnLine(page: SourcePage, offset: number): boolean {
  return page.source.text.slice(lineStart(page, offset), offset).trim() === "";
}

export function columnOf(page: SourcePage, offset: number): number {
  return offset - lineStart(page, offset);
}

/** Returns the first placeholder of a variable, forEach or a secret in a string; `$${` is not one. */
export function placeholderIn(text: string): string | undefined {
  return /(?<!\$)\$\{[^}]*\}?/.exec(text)?.[0];
}

/** Throws if a value is shared with another place or comes from one; the problem names it. */
export function requireOwn(page: SourcePage, node: Node): asserts node is Exclude<Node, Alias> {
  if (isAlias(node)) throw refusal(page, node, `The value is the alias *${node.source}.`, writeOut);
  if (node.anchor !== undefined && page.aliased.has(node.anchor))
    throw refusal(page, node, `Other values use the anchor &${node.anchor}.`, writeOut);
  if (!isScalar(node) || typeof node.value !== "string") return;
  const placeholder = placeholderIn(node.value);
  if (placeholder !== undefined) throw refusal(page, node, `The value comes from ${placeholder}.`, writeOut);
}

/** Throws if replacing a whole collection would lose something in it. */
export function requirePlain(page: SourcePage, node: Collection): void {
  visit(node, { Node: (_key, inner) => requireOwn(page, inner) });
  visit(node, {
    Node: (_key, inner) => {
      if (inner !== node && (inner.comment != null || inner.commentBefore != null))
        throw refusal(page, node, "The comments in the value would be lost.");
    },
  });
  if ((node.comment ?? "") !== "" && isCommentInside(page, node))
    throw refusal(page, node, "The comments in the value would be lost.");
}

/** Whether a collection's comment is inside it. The parser attaches one after the last item and one after the end alike. */
function isCommentInside(page: SourcePage, node: Collection): boolean {
  return /(^|\s)#/.test(page.source.text.slice(endOfLast(node) ?? startOf(node), endOf(node)));
}

/** Throws if removing a node would remove an anchor that aliases need. */
export function requireUnshared(page: SourcePage, node: Node): void {
  visit(node, {
    Value: (_key, inner) => {
      if (isAlias(inner) || inner.anchor === undefined || !page.aliased.has(inner.anchor)) return;
      throw refusal(page, inner, `Other values use the anchor &${inner.anchor}.`, writeOut);
    },
  });
}

const writeOut = "Write out the value that should differ, then adopt it.";

/** Returns the error that says why a value cannot be written. */
export function refusal(page: SourcePage, node: Node, message: string, hint?: string): ProblemError {
  return new ProblemError(
    problemAt({ source: page.source, start: startOf(node), end: endOf(node) }, "SP1020", message, { hint }),
  );
}

export type Collection = YAMLMap | YAMLSeq;
