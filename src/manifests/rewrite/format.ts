import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  parseAllDocuments,
  Scalar,
  type Tags,
  visit,
  type YAMLMap,
} from "yaml";
import { sameJson } from "../../core/text/json.ts";
import { type SpecShape, shapeOf } from "../../core/text/json-schema.ts";
import { jsonIn } from "../../core/text/json-text.ts";
import { Envelope } from "../documents/manifest-schema.ts";
import { lexemes } from "../yaml/lexemes.ts";
import { yamlOptions } from "../yaml/parse-yaml.ts";
import { isPlain } from "./render.ts";

/** A manifest in the canonical form of `fmt`, or the reason why it cannot be formatted. */
export type Formatted =
  | { readonly is: "formatted"; readonly text: string }
  | { readonly is: "left"; readonly reason: string };

const envelope = shapeOf(Envelope);

/** Options that keep numbers as written: a placeholder inserts `08` into text with its zero. */
const writtenOptions = {
  ...yamlOptions,
  customTags: (tags: Tags): Tags =>
    tags.map((tag) =>
      typeof tag === "object" && !tag.collection && /:(?:int|float)$/.test(tag.tag)
        ? { ...tag, stringify: ({ source, value }) => source ?? String(value) }
        : tag,
    ),
};

/** Words that other YAML parsers read as booleans or null. They keep their quotes, as does text that begins like a number. */
const ambiguous = /^(y|n|yes|no|on|off|true|false|null|~)$/i;

/**
 * Formats a valid manifest: fields in the order of their schemas, two spaces, quotes only where they are needed, line ends like
 * the first. Values, comments, anchors and collection styles stay. The manifest is left unchanged if it is JSON, and if the new
 * text would not mean the same, or would change when formatted again.
 */
export function formatManifest(text: string, shapeOfKind: (kind: string) => SpecShape | undefined): Formatted {
  const whole = text.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
  if (jsonIn(whole) !== undefined) return { is: "formatted", text };
  const once = rendered(whole, shapeOfKind);
  if (once === undefined) return { is: "left", reason: "it has YAML directives, which begin with %" };
  const isSame = sameJson(valuesOf(whole), valuesOf(once)) && sameJson(commentsOf(whole), commentsOf(once));
  if (!isSame) return { is: "left", reason: "a comment or a value is where it could not be kept" };
  // git on Windows checks files out with CRLF.
  const end = /^.*\r\n/.test(text) ? "\r\n" : "\n";
  return rendered(once, shapeOfKind) === once
    ? { is: "formatted", text: once.replaceAll("\n", end) }
    : { is: "left", reason: "its comments would move again each time" };
}

function rendered(text: string, shapeOfKind: (kind: string) => SpecShape | undefined): string | undefined {
  const documents: readonly Document[] = [...parseAllDocuments(text, writtenOptions)];
  if (documents.some(({ directives }) => /^%/m.test(String(directives ?? "")))) return undefined;
  if (documents.length === 0) return text.trim() === "" ? "" : `${text.trim()}\n`;
  const texts = documents.flatMap((document) => {
    arrange(document, shapeOfKind);
    if (document.directives) document.directives.docStart = null;
    const own = document.toString({ lineWidth: 0, indent: 2 });
    const isEmpty = document.contents === null || (isScalar(document.contents) && document.contents.source === "");
    const shown = isEmpty ? own.replace(/^null$/m, "") : own;
    return shown.trim() === "" ? [] : [`${shown.replace(/^\n+/, "").trimEnd()}\n`];
  });
  // The library writes these characters literally, even those that were escaped to make them visible.
  const own = new Set(text.match(unseen));
  return texts.join("---\n").replace(unseen, (one) => (own.has(one) ? one : escaped(one)));
}

/** Characters that are invisible or look like a space. */
const unseen = /[\x7f-\x9f\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

function escaped(character: string): string {
  const code = character.codePointAt(0)?.toString(16) ?? "";
  return code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`;
}

function arrange(document: Document, shapeOfKind: (kind: string) => SpecShape | undefined): void {
  let hasAliases = false;
  visit(document, {
    Alias: () => {
      hasAliases = true;
    },
    Scalar: (_key, node) => {
      if (typeof node.value !== "string") return;
      const isQuoted = node.type === Scalar.QUOTE_DOUBLE || node.type === Scalar.QUOTE_SINGLE;
      const isWord = /^[\p{L}_/]/u.test(node.value) && !ambiguous.test(node.value);
      if (isQuoted && isWord && isPlain(node.value)) node.type = Scalar.PLAIN;
      else if (node.type === Scalar.QUOTE_SINGLE && !/["\\]/.test(node.value)) node.type = Scalar.QUOTE_DOUBLE;
    },
    // The forms are { a: 1 } and [a, b], but the library has one setting for both.
    Collection: (_key, node) => {
      const written = node.toString.bind(node);
      const flowCollectionPadding = isMap(node) ? " " : "";
      node.toString = (context, ...rest) => written(context && { ...context, flowCollectionPadding }, ...rest);
    },
  });
  // An alias is certain to follow its anchor only if nothing moves.
  if (hasAliases || !isMap(document.contents)) return;
  const kind = document.contents.get("kind");
  const spec = typeof kind === "string" ? shapeOfKind(kind) : undefined;
  // The modeline and comments on the document stay at its top, whichever field comes first.
  const first: unknown = document.contents.items[0]?.key;
  if (isScalar(first) && first.commentBefore) {
    document.contents.commentBefore = [document.contents.commentBefore ?? [], first.commentBefore].flat().join("\n");
    first.commentBefore = null;
  }
  sort(document.contents, envelope.fieldsAt([]));
  for (const { key, value } of document.contents.items) {
    const name = nameOf(key);
    if (name === "metadata") deep(value, [name], envelope);
    if (name === "spec" && spec !== undefined) deep(value, [], spec);
  }
}

/** Sorts the fields in a value, at all levels, in the order of a schema. */
function deep(node: unknown, path: readonly PropertyKey[], shape: SpecShape): void {
  if (isSeq(node)) for (const [index, entry] of node.items.entries()) deep(entry, [...path, index], shape);
  if (!isMap(node)) return;
  inOrder(node, shape.fieldsAt(path));
  for (const { key, value } of node.items) {
    const name = nameOf(key);
    if (name !== undefined) deep(value, [...path, name], shape);
  }
}

/** Like `sort`. The comment above the first field, which the parser attaches to the whole mapping, moves with the field. */
function inOrder(map: YAMLMap, fields: readonly string[]): void {
  const first: unknown = map.items[0]?.key;
  if (isScalar(first) && map.commentBefore && map.flow !== true) {
    first.commentBefore = [map.commentBefore, first.commentBefore ?? []].flat().join("\n");
    map.commentBefore = null;
  }
  sort(map, fields);
}

/** Sorts the fields of a mapping. Unknown names follow the others, in their original order. */
function sort(map: YAMLMap, fields: readonly string[]): void {
  const rank = (pair: Pair) => {
    const at = fields.indexOf(nameOf(pair.key) ?? "");
    return at === -1 ? fields.length : at;
  };
  map.items.sort((a, b) => rank(a) - rank(b));
}

function nameOf(key: unknown): string | undefined {
  return isScalar(key) && typeof key.value === "string" ? key.value : undefined;
}

function valuesOf(text: string) {
  return parseAllDocuments(text, yamlOptions).flatMap((document) => {
    const value: unknown = document.toJS();
    return value === null ? [] : [JSON.parse(JSON.stringify(value))];
  });
}

function commentsOf(text: string): readonly string[] {
  const comments = lexemes(text).filter((lexeme) => lexeme.text.startsWith("#"));
  return comments.map((comment) => comment.text.trimEnd()).sort();
}
