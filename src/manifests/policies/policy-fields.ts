import type { Kind } from "../../core/kind.ts";
import type { Problem } from "../../core/problem.ts";
import { shapeOf } from "../../core/text/json-schema.ts";
import { didYouMean, quote } from "../../core/text/words.ts";
import { Envelope } from "../documents/manifest-schema.ts";
import type { Policy } from "../workspace/workspace-schema.ts";
import { problemAt, type ReportProblem } from "../yaml/source-text.ts";
import { entryOf, type Key, type Tree } from "../yaml/tree.ts";

/** Keywords whose subschemas apply to the same value. */
const inPlace = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"];

/**
 * Reports SP1004 for each field that has a rule in a policy's schema but can never occur: in a document, in its metadata,
 * or, if the policy names its kinds, in their specification. Such a rule would let everything pass.
 */
export function reportFields(schema: Tree, policy: Policy, kinds: ReadonlyMap<string, Kind>, report: ReportProblem) {
  const named = (policy.kinds ?? []).map((name) => kinds.get(name));
  const specs = named.map((kind) => (kind === undefined ? [] : shapeOf(kind.spec).fieldsAt([])));
  const fields = new Map([
    ["A document", ["kind", "metadata", "spec"]],
    ["metadata", [...shapeOf(Envelope).fieldsAt(["metadata"]), "acknowledged"]],
    ["spec", specs.every((names) => names.length > 0) ? specs.flat() : []],
  ]);
  visit(schema, "A document");

  function visit(tree: Tree, owner: string): void {
    for (const inner of inPlace.flatMap((keyword) => schemasIn(entryOf(tree, keyword)?.value))) visit(inner, owner);
    const known = fields.get(owner) ?? [];
    if (known.length === 0) return;
    const rules = entryOf(tree, "properties")?.value;
    for (const { key, value } of rules?.is === "mapping" ? rules.entries : []) {
      if (!known.includes(key.name)) report(noField(owner, key, known));
      else if (owner === "A document") visit(value, key.name);
    }
  }
}

function schemasIn(part: Tree | undefined): readonly Tree[] {
  if (part === undefined) return [];
  return part.is === "list" ? part.entries : [part];
}

function noField(owner: string, key: Key, known: readonly string[]): Problem {
  const message = `${owner} has no field ${quote(key.name)}.${didYouMean(key.name, known)}`;
  return problemAt(key, "SP1004", message, { hint: "A rule for a field that does not exist lets everything pass." });
}
