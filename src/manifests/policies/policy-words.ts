import type { ErrorObject } from "ajv";
import { notAllowed, pathText } from "../../core/text/issues.ts";
import { member } from "../../core/text/json.ts";
import { quote } from "../../core/text/words.ts";
import type { Declaration } from "../documents/documents.ts";
import type { PlacedPolicy } from "../workspace/read-workspace.ts";
import { problemAt, type ReportProblem } from "../yaml/source-text.ts";
import {
  entryOf,
  follow,
  ownerRange,
  plain,
  type Spot,
  stepsOf,
  type Tree,
  valueRange,
  valueWords,
} from "../yaml/tree.ts";

/** Keywords that are reported as a whole; an error below one of them is only a detail. */
const wholes = new Set(["anyOf", "oneOf", "not", "contains", "propertyNames"]);

/**
 * Reports SP1019 for each violation, at the value or key in question, or at the mapping that lacks it. The hint is the
 * message of the policy.
 */
export function reportViolations(
  { name, message: hint }: PlacedPolicy,
  declaration: Declaration,
  document: unknown,
  errors: readonly ErrorObject[],
  report: ReportProblem,
): void {
  // Checking a file stops after this many problems anyway.
  const shown = errors.slice(0, 1000);
  const root = declaration.document();
  const covering = shown.filter(({ keyword }) => wholes.has(keyword));
  for (const error of shown) {
    // The error of `if` only repeats that its consequence fails, which is reported itself.
    if (error.keyword === "if" || covering.some((whole) => isBelow(error, whole))) continue;
    const { at, words } = explain(error, root, declaration, document);
    report(problemAt(at, "SP1019", `Policy ${name}: ${words}`, { hint }));
  }
}

function isBelow({ schemaPath, instancePath }: ErrorObject, whole: ErrorObject): boolean {
  return schemaPath.startsWith(`${whole.schemaPath}/`) && instancePath.startsWith(whole.instancePath);
}

function explain(error: ErrorObject, root: Tree, { kind }: Declaration, document: unknown) {
  const path = stepsOf(document, error.instancePath);
  const spot = follow(root, path);
  // The service and defaults can violate a policy without being written anywhere.
  const at = spot.found ? valueRange(spot) : ownerRange(spot);
  const owner = pathText(path) || kind.kind;
  const name = nameIn(error.params);
  switch (error.keyword) {
    case "required":
    case "dependentRequired":
    case "dependencies":
      return { at: spot.found ? ownerRange(spot) : at, words: `${owner} needs ${quote(name)}.` };
    case "additionalProperties":
    case "unevaluatedProperties":
    case "propertyNames":
      return { at: entryOf(spot.tree, name)?.key ?? at, words: `${owner} may not have ${quote(name)}.` };
    default: {
      const value = spot.found
        ? undefined
        : `${owner} is left out, so ${JSON.stringify(path.reduce(member, document))}`;
      return { at, words: valueProblem(error, spot, value) };
    }
  }
}

/** Describes an invalid value. `value` is the text for a value that is not written. */
function valueProblem({ keyword, params, message = "is wrong" }: ErrorObject, spot: Spot, value?: string): string {
  const words = value ?? valueWords(spot.tree);
  if (keyword === "pattern") return `${words} does not match ${String(params.pattern)}.`;
  if (keyword === "anyOf" || keyword === "oneOf") return `${words} matches none of the allowed forms.`;
  if (keyword === "not" || keyword === "false schema") return `${words} is not allowed here.`;
  if (keyword === "const") return `${words} is not allowed here: write ${JSON.stringify(params.allowedValue)}.`;
  if (keyword === "enum" && value === undefined && Array.isArray(params.allowedValues))
    return notAllowed({ words, value: plain(spot.tree) }, params.allowedValues.map(String));
  return `${words} ${message}.`;
}

/** Returns the name that an error is about; Ajv stores it under a different key for each keyword. */
function nameIn(params: Readonly<Record<string, unknown>>): string {
  const { missingProperty, additionalProperty, unevaluatedProperty, propertyName } = params;
  return String(missingProperty ?? additionalProperty ?? unevaluatedProperty ?? propertyName ?? "");
}
