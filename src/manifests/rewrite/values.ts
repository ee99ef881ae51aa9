import { isMap, isNode, isScalar, isSeq, type Node, type Scalar, type YAMLMap, type YAMLSeq } from "yaml";
import { isList, isObject, type Json, type JsonObject, sameJson } from "../../core/text/json.ts";
import { alignment } from "./arrange.ts";
import { type Addition, blockEdits, flowEdits, type Slot } from "./collection.ts";
import {
  type Collection,
  columnOf,
  type Edit,
  endOf,
  endOfPair,
  lineStart,
  placeholderIn,
  refusal,
  requireOwn,
  requirePlain,
  requireUnshared,
  type SourcePage,
  startOf,
} from "./page.ts";
import {
  isPlain,
  renderBlock,
  renderBlockEntry,
  renderEntry,
  renderFlow,
  renderLiteral,
  type ScalarStyle,
} from "./render.ts";

/** A written value, its meaning with the kind's defaults, and the value to write instead. */
interface Wish {
  readonly node: Node;
  readonly stated: Json | undefined;
  readonly live: Json;
  /** Where the name before the value ends. */
  readonly nameEnd?: number;
}

/**
 * Returns the fewest edits that turn a value into another one: unchanged entries of lists and mappings are not touched.
 * Throws `ProblemError` with SP1020 if the value is not the field's own, or comments would be lost.
 */
function valueEdits(page: SourcePage, wish: Wish): readonly Edit[] {
  const { node, stated, live } = wish;
  if (sameJson(stated, live)) return [];
  requireOwn(page, node);
  if (isMap(node) && isObject(stated) && isObject(live) && !isList(live) && Object.keys(live).length > 0)
    return mappingEdits(page, node, stated, live, namesIn(node, stated, live)) ?? [replaced(page, node, wish)];
  if (isSeq(node) && isList(stated) && isList(live) && live.length > 0 && stated.length === node.items.length)
    return listEdits(page, node, stated, live) ?? [replaced(page, node, wish)];
  return [isScalar(node) ? replacedScalar(page, node, live) : replaced(page, node, wish)];
}

function namesIn(node: YAMLMap, stated: object, live: object): readonly string[] {
  const written = node.items.map(({ key }) => (isScalar(key) ? String(key.value) : ""));
  return [...new Set([...written, ...Object.keys(stated), ...Object.keys(live)])];
}

/**
 * Returns the edits that give some members of a mapping their live values. Undefined if the whole mapping has to be
 * replaced. Throws as `valueEdits` does.
 */
export function mappingEdits(
  page: SourcePage,
  node: YAMLMap,
  stated: JsonObject,
  live: JsonObject,
  names: readonly string[],
  /** The name after which new members are inserted. Defaults to the end. */
  behind?: string,
): readonly Edit[] | undefined {
  const look = lookOf(page, node);
  const inner: Edit[] = [];
  const written = new Set<string>();
  const slots = node.items.map((pair): Slot => {
    const { key, value } = pair;
    const slot = { start: isNode(key) ? startOf(key) : 0, end: endOfPair(pair), isKept: true };
    if (!isScalar(key) || typeof key.value !== "string" || placeholderIn(key.value) !== undefined)
      throw refusal(page, isNode(key) ? key : node, "A name here is not plain text.");
    const name = key.value;
    written.add(name);
    if (!names.includes(name)) return slot;
    if (stated[name] === undefined)
      throw refusal(
        page,
        key,
        "The value is read from a file.",
        "Change the file, or write the value into the manifest.",
      );
    const wanted = live[name];
    if (wanted === undefined) {
      if (isNode(value)) requireUnshared(page, value);
      return { ...slot, isKept: false };
    }
    if (isNode(value))
      inner.push(...valueEdits(page, { node: value, stated: stated[name], live: wanted, nameEnd: endOf(key) }));
    return slot;
  });
  const additions = names.flatMap((name): readonly Addition<readonly [string, Json]>[] => {
    const value = live[name];
    if (written.has(name) || value === undefined || sameJson(stated[name], value)) return [];
    const named = node.items.findIndex(({ key }) => isScalar(key) && key.value === behind);
    return [{ after: named === -1 ? slots.findLastIndex(({ isKept }) => isKept) : named, value: [name, value] }];
  });
  const outer = collectionEdits(page, node, slots, additions, ([name, value], indent) =>
    indent === undefined ? renderEntry(name, value, look) : renderBlockEntry(name, value, indent, page.newline, look),
  );
  return outer === undefined ? undefined : [...inner, ...outer];
}

function listEdits(
  page: SourcePage,
  node: YAMLSeq,
  stated: readonly Json[],
  live: readonly Json[],
): readonly Edit[] | undefined {
  const look = lookOf(page, node);
  const items = node.items.filter(isNode);
  const partners = new Map(alignment(stated, live));
  const inner = items.flatMap((item, index) => {
    const after = live[partners.get(index) ?? -1];
    if (after !== undefined) return valueEdits(page, { node: item, stated: stated[index], live: after });
    requireUnshared(page, item);
    return [];
  });
  const origins = new Map([...partners].map(([from, to]) => [to, from]));
  let after = -1;
  const additions = live.flatMap((value, index): readonly Addition<Json>[] => {
    const origin = origins.get(index);
    after = origin ?? after;
    return origin === undefined ? [{ after, value }] : [];
  });
  const slots = items.map(
    (item, index): Slot => ({ start: itemStart(page, node, item), end: endOf(item), isKept: partners.has(index) }),
  );
  const isFlowing = items.some((item) => isMap(item) && item.flow === true);
  const outer = collectionEdits(page, node, slots, additions, (value, indent) =>
    indent === undefined
      ? renderFlow(value, look)
      : `- ${isFlowing ? renderFlow(value, look) : renderBlock(value, indent + 2, page.newline, look)}`,
  );
  return outer === undefined ? undefined : [...inner, ...outer];
}

/** `render` receives the column of the collection if it is on lines of its own. */
function collectionEdits<Value>(
  page: SourcePage,
  node: Collection,
  slots: readonly Slot[],
  additions: readonly Addition<Value>[],
  render: (value: Value, indent: number | undefined) => string,
): readonly Edit[] | undefined {
  const indent = node.flow === true ? undefined : columnOf(page, slots[0]?.start ?? startOf(node));
  const rendered = additions.map(({ after, value }) => ({ after, value: render(value, indent) }));
  return node.flow === true ? flowEdits(page, node, slots, rendered) : blockEdits(page, slots, rendered);
}

/** Returns where an item starts: at its dash, if it has one. */
function itemStart(page: SourcePage, node: YAMLSeq, item: Node): number {
  const start = startOf(item);
  if (node.flow === true) return start;
  const column = columnOf(page, startOf(node));
  const { text } = page.source;
  for (let line = lineStart(page, start); line >= startOf(node) - column; line = lineStart(page, line - 1))
    if (text[line + column] === "-" && line + column < start) return line + column;
  return start;
}

/** Replaces a scalar, in its own style if the value allows. */
function replacedScalar(page: SourcePage, node: Scalar, live: Json): Edit {
  const [start, end] = [startOf(node), endOf(node)];
  const old = page.source.text.slice(start, end);
  const isBlock = node.type === "BLOCK_LITERAL" || node.type === "BLOCK_FOLDED";
  if (isBlock && typeof live === "string") {
    const [head = ""] = old.split(/\r?\n/, 1);
    const indent = /\n( +)\S/.exec(old)?.[1]?.length;
    const literal = indent === undefined ? undefined : renderLiteral(live, indent, page.newline);
    const rest = head.replace(/^[|>][-+0-9]*/, "");
    if (literal !== undefined) return { start, end, text: `${literal.head}${rest}${page.newline}${literal.body}` };
  }
  const quotes = page.isJson ? "double" : quotesOf([node]);
  const text = renderFlow(live, { quotes, json: quotes === "double" });
  if (start === end) return { start, end, text: page.source.text[end] === "#" ? `${text} ` : ` ${text}` };
  return { start, end, text: isBlock && old.endsWith("\n") ? `${text}${page.newline}` : text };
}

/** Replaces a collection as a whole, in its own style. */
function replaced(page: SourcePage, node: Collection, { live, nameEnd }: Wish): Edit {
  requirePlain(page, node);
  const [start, end] = [startOf(node), endOf(node)];
  const look = lookOf(page, node);
  if (node.flow === true) return { start, end, text: renderFlow(live, look) };
  const { text } = page.source;
  const ending = text[end - 1] === "\n" ? page.newline : "";
  const isLines = (isList(live) || isObject(live)) && Object.keys(live).length > 0;
  if (isLines) return { start, end, text: `${renderBlock(live, columnOf(page, start), page.newline, look)}${ending}` };
  const behindName = nameEnd === undefined ? start : text.indexOf(":", nameEnd) + 1;
  const isFree = text.slice(behindName, start).trim() === "" && nameEnd !== undefined;
  const flow = `${renderFlow(live, look)}${ending}`;
  return isFree ? { start: behindName, end, text: ` ${flow}` } : { start, end, text: flow };
}

/** Returns the style of a collection's strings, which is that of the first one. */
function lookOf(page: SourcePage, node: Collection): ScalarStyle {
  if (page.isJson) return { quotes: "double", json: true };
  const keys = isMap(node) ? node.items.map(({ key }) => key).filter(isScalar) : [];
  const json =
    keys[0]?.type === "QUOTE_DOUBLE" ||
    (isSeq(node) && node.items.some((item) => isMap(item) && lookOf(page, item).json));
  const values = isMap(node) ? node.items.map(({ value }) => value) : node.items;
  return { quotes: json ? "double" : quotesOf(values.filter(isScalar)), json };
}

/** Returns the quotes of the first string that would not need any: only these show that all strings are to have quotes. */
function quotesOf(scalars: readonly Scalar[]): ScalarStyle["quotes"] {
  const type = scalars.find(({ value }) => typeof value === "string" && isPlain(value))?.type;
  return type === "QUOTE_DOUBLE" ? "double" : type === "QUOTE_SINGLE" ? "single" : undefined;
}
