import { fieldsIn } from "../../core/change.ts";
import type { Kind } from "../../core/kind.ts";
import type { Problem } from "../../core/problem.ts";
import type { Place, Resource } from "../../core/resource.ts";
import { groupsBy } from "../../core/text/groups.ts";
import { defined, type JsonObject, sameJson } from "../../core/text/json.ts";
import { shapeOf } from "../../core/text/json-schema.ts";
import { counted } from "../../core/text/words.ts";
import { arranged } from "../../manifests/rewrite/arrange.ts";
import type { Rewrite } from "../../manifests/rewrite/document.ts";
import { asJson, plainSpec } from "../../planner/decide.ts";
import type { Decided, Declarations } from "../../planner/subjects.ts";

/** The resources of one document, and the fields that should get their live values, the same for all of them. */
export interface Group extends Rewrite {
  readonly kind: Kind;
  /** Those that moved. */
  readonly members: readonly { readonly resource: Resource; readonly live: JsonObject }[];
  /** Fields that were or are still to get their live values. */
  readonly tried: readonly string[];
}

/** What to rewrite in the documents, and what moved and cannot be adopted at all. */
export interface Wishes {
  readonly groups: readonly Group[];
  readonly refusals: readonly Problem[];
}

/** Groups differences by document. If a document has forEach, a field must have moved alike in all its resources. */
export function wishesOf({ desired }: Declarations, decided: readonly Decided[]): Wishes {
  const repeated = Map.groupBy(desired, ({ place }) => placeName(place));
  const documents = groupsBy(decided.flatMap(movedFields), ({ resource }) => placeName(resource.place));
  const groups = documents.map(({ first, all: moved }): Wishes => {
    const all = repeated.get(placeName(first.resource.place))?.length ?? 1;
    const differing = [...new Set(moved.flatMap((one) => one.fields))];
    // A kind may compare something that is not a field of its manifests, such as the builds that exceed a retention.
    const statable = shapeOf(first.kind.spec).fieldsAt([]);
    // Where a secret goes is known only to the manifest: without it, no run would notice that the secret is not there.
    const undelivered = differing.filter((field) => field === "deliver");
    const fields = differing.filter((field) => statable.includes(field) && field !== "deliver");
    const strange = differing.filter((field) => !statable.includes(field));
    const isAlike = (field: string) =>
      moved.length === all &&
      moved.every((one) => one.fields.includes(field) && sameJson(one.live[field], first.live[field]));
    const group = { ...first, place: first.resource.place, members: moved, tried: differing };
    const alike = fields.filter(isAlike);
    const others = fields.filter((field) => !isAlike(field));
    const message = `forEach expands to ${counted(all, "resource")} here, and not all of them are known to have the live value.`;
    return {
      groups: alike.length === 0 ? [] : [{ ...group, fields: alike }],
      refusals: [
        ...refused(group, others, message),
        ...refused(group, strange, indescribable),
        ...refused(group, undelivered, "The secret is not where the manifest says: an apply delivers a new one."),
      ],
    };
  });
  return {
    groups: groups.flatMap((one) => one.groups),
    refusals: [...decided.flatMap(existence), ...groups.flatMap((one) => one.refusals)],
  };
}

/** The reason for a live state that no manifest could describe. */
export const indescribable = "The manifest cannot describe the service's state.";

/** Returns the problem of fields of a document that are not adopted; none if there are no such fields. */
export function refused(
  { members: [first], place }: Pick<Group, "members" | "place">,
  fields: readonly string[],
  message: string,
): readonly Problem[] {
  if (fields.length === 0) return [];
  const said = `${fields.join(", ")}: ${message}`;
  return [defined({ code: "SP1020", message: said, place, address: first?.resource.address })];
}

/** Returns the fields of a resource whose live values differ, with these values as a manifest would state them. */
function movedFields({ decision, kind, now }: Decided) {
  if (decision.is !== "change" || now === undefined) return [];
  const { change } = decision;
  if ((change.action !== "update" && change.action !== "check") || change.live === undefined) return [];
  const fields = fieldsIn(change);
  if (fields.length === 0) return [];
  const stated = asJson(now.spec);
  const live = asJson(change.live);
  return [{ resource: now, kind, stated, live: inWrittenOrder(kind, stated, live, fields), fields }];
}

/** Returns the live specification with lists in the order of the manifest, if the kind treats both orders as equal. */
function inWrittenOrder(kind: Kind, stated: JsonObject, live: JsonObject, fields: readonly string[]): JsonObject {
  const values = fields.flatMap((name) => {
    const value = live[name];
    if (value === undefined) return [];
    const reordered = { ...live, [name]: arranged(stated[name], value) };
    return sameJson(plainSpec(kind, reordered)[name], plainSpec(kind, live)[name]) ? [[name, reordered[name]]] : [];
  });
  return { ...live, ...Object.fromEntries(values) };
}

/** Returns a problem if the resource's existence differs: no field in a manifest could be rewritten to adopt that. */
function existence({ decision, address, now }: Decided): readonly Problem[] {
  if (decision.is !== "change" || now === undefined) return [];
  const { action } = decision.change;
  if (action !== "create" && action !== "delete" && (action !== "check" || decision.change.fields.length > 0))
    return [];
  const isGone = now.metadata.state === "present";
  return [
    {
      code: "SP1020",
      address,
      place: now.place,
      message: isGone
        ? `${address} is declared, but the service does not have it.`
        : `${address} is declared absent, but the service has it.`,
      hint: isGone
        ? "Remove the document or set state: absent, or restore the object with an apply."
        : "Remove state: absent and describe the object, or delete the object with an apply.",
    },
  ];
}

function placeName({ file, line, column }: Place): string {
  return JSON.stringify([file, line, column]);
}
