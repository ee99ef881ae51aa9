import { isMap, isNode } from "yaml";
import type { Acknowledgement } from "../../core/acknowledgement.ts";
import { ProblemError } from "../../core/problem.ts";
import type { Place } from "../../core/resource.ts";
import { isList, isObject, type Json, type JsonObject, sameJson } from "../../core/text/json.ts";
import { documentAt, type Manifest, notFound, sourcePageOf } from "./document.ts";
import { type Edit, refusal } from "./page.ts";
import { mappingEdits } from "./values.ts";

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
  const page = sourcePageOf(manifest.source, document);
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
  const isSame = (other: Json) => isObject(other) && sameJson(other.fields ?? null, item.fields ?? null);
  const at = listed.findIndex(isSame);
  const ignore = at === -1 ? [...listed, item] : listed.with(at, item);
  const stated: JsonObject = metadata === undefined ? {} : { metadata };
  const wanted: JsonObject = { metadata: { ...before, ignore } };
  const edits = mappingEdits(page, root, stated, wanted, ["metadata"], "kind");
  if (edits === undefined) throw refusal(page, root, "The document is written in a form that cannot be changed.");
  return edits;
}

function asJson(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value));
}
