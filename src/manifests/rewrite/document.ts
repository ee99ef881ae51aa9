import { type Document, isMap, isNode, isScalar, parseAllDocuments, visit } from "yaml";
import type { Acknowledgement } from "../../core/acknowledgement.ts";
import { type Problem, ProblemError, problemsOf } from "../../core/problem.ts";
import type { Place } from "../../core/resource.ts";
import { isList, isObject, type Json, type JsonObject, sameJson } from "../../core/text/json.ts";
import { jsonIn } from "../../core/text/json-text.ts";
import { yamlOptions } from "../yaml/parse-yaml.ts";
import type { SourceText } from "../yaml/source-text.ts";
import { type Edit, refusal, requireOwn, type SourcePage, startOf } from "./page.ts";
import { mappingEdits } from "./values.ts";

/** A request to change some fields of a declared specification to their live values. */
export interface Rewrite {
  /** The place of the kind's name, which identifies the document. */
  readonly place: Place;
  /** The declared values, with the defaults of the kind. */
  readonly stated: JsonObject;
  readonly live: JsonObject;
  readonly fields: readonly string[];
}

/** The edits of one document, and the reasons why some fields cannot be written. */
export interface Rewritten {
  readonly edits: readonly Edit[];
  readonly fields: readonly string[];
  readonly refusals: readonly Problem[];
}

/** A manifest with its documents, by the offsets of their kinds' names. */
export interface Manifest extends Pick<SourcePage, "isJson"> {
  readonly source: SourceText;
  readonly documents: ReadonlyMap<number, Document>;
}

export function openManifest(source: SourceText): Manifest {
  const documents: readonly Document[] = [...parseAllDocuments(source.text, yamlOptions)];
  const isJson = jsonIn(source.text) !== undefined;
  return { source, isJson, documents: new Map(documents.map((document) => [kindOffset(document), document])) };
}

/** Returns the document whose kind is named at a place; undefined if there is none. */
function documentAt({ source, documents }: Manifest, place: Place): Document | undefined {
  return documents.get((source.lineStarts()[place.line - 1] ?? 0) + place.column - 1);
}

/** Returns the edits of one document that write the live values of the fields, and nothing else. */
export function rewriteDocument(manifest: Manifest, { place, stated, live, fields }: Rewrite): Rewritten {
  const document = documentAt(manifest, place);
  const spec = document?.get("spec", true);
  if (document === undefined || !isNode(spec)) {
    return { edits: [], fields: [], refusals: [notFound(place)] };
  }
  const page = sourcePageOf(manifest, document);
  const edits = (names: readonly string[]) => {
    requireOwn(page, spec);
    const found = isMap(spec) ? mappingEdits(page, spec, stated, live, names) : undefined;
    if (found === undefined)
      throw refusal(page, spec, "The specification is written in a form that cannot be changed.");
    return found;
  };
  // One by one, so that a field that cannot be written does not block the others.
  const refusals = fields.flatMap((name) => {
    try {
      edits([name]);
      return [];
    } catch (error) {
      return [{ name, problems: problemsOf(error) }];
    }
  });
  const rest = fields.filter((field) => !refusals.some(({ name }) => name === field));
  return {
    edits: rest.length === 0 ? [] : edits(rest),
    fields: rest,
    refusals: refusals.flatMap(({ name, problems }) =>
      problems.map((problem) => ({ ...problem, message: `${name}: ${problem.message}` })),
    ),
  };
}

/** The problem of a document that is not where its resource was declared. */
function notFound(place: Place): Problem {
  const message = "The document was not found where it was read: the file has changed, or the kind is an alias.";
  return { code: "SP1020", message, place };
}

function kindOffset({ contents }: Document): number {
  const kind = isMap(contents) ? contents.get("kind", true) : undefined;
  return isScalar(kind) ? startOf(kind) : -1;
}

function sourcePageOf({ source, isJson }: Manifest, document: Document): SourcePage {
  const aliased = new Set<string>();
  visit(document, {
    Alias: (_key, { source: anchor }) => {
      aliased.add(anchor);
    },
  });
  return { source, isJson, newline: source.text.includes("\r\n") ? "\r\n" : "\n", aliased };
}

/**
 * Returns the edits that write an acknowledgement into the document whose kind is named at a place. It replaces one for the
 * same fields. Throws `ProblemError` SP1020 if the document declares several resources or cannot be changed.
 */
export function acknowledgementEdits(
  manifest: Manifest,
  place: Place,
  acknowledgement: Acknowledgement,
): readonly Edit[] {
  const document = documentAt(manifest, place);
  const root = document?.contents;
  if (document === undefined || !isMap(root)) throw new ProblemError(notFound(place));
  const page = sourcePageOf(manifest, document);
  if (root.has("forEach"))
    throw refusal(
      page,
      root,
      "forEach makes several resources of this document, and an acknowledgement for one of them would apply to all.",
      "If all are meant, write the acknowledgement into metadata.ignore yourself; otherwise give the resource its own document.",
    );
  const node = root.get("metadata", true);
  const { metadata }: { readonly metadata?: Json } = isNode(node) ? asJson({ metadata: node.toJS(document) }) : {};
  const before = isObject(metadata) ? metadata : {};
  const listed = isList(before.ignore) ? before.ignore : [];
  const item = asJson(acknowledgement);
  const isSame = (other: Json) => isObject(other) && sameJson(other.fields, item.fields);
  const at = listed.findIndex(isSame);
  const ignore = at === -1 ? [...listed, item] : listed.with(at, item);
  const stated: JsonObject = metadata === undefined ? {} : { metadata };
  const wanted: JsonObject = { metadata: { ...before, ignore } };
  // Only what loses a member can have a form that cannot be changed.
  return mappingEdits(page, root, stated, wanted, ["metadata"], "kind") ?? [];
}

function asJson(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value));
}
