import { parseSecretReference } from "../../core/secret.ts";
import type { SpecShape } from "../shape/spec-shape.ts";
import { placeOf, problemAt, type ReportProblem } from "../yaml/source-text.ts";
import type { Scalar, Tree } from "../yaml/tree.ts";

/**
 * Reports SP1015 for each reference to a secret outside of a field that is marked secret, and for each value of such a
 * field that is no reference. `shape` is undefined where no secrets may stand at all.
 */
export function reportSecrets(tree: Tree, shape: SpecShape | undefined, report: ReportProblem): void {
  const marked = shape?.hasSecrets() === true ? shape : undefined;
  visit(tree, []);

  function visit(part: Tree, path: readonly PropertyKey[]): void {
    switch (part.is) {
      case "scalar":
        if (!part.broken) check(part, marked?.isSecret(path) === true);
        return;
      case "list":
        part.entries.forEach((entry, index) => {
          visit(entry, [...path, index]);
        });
        return;
      case "mapping":
        for (const { key, value } of part.entries) visit(value, [...path, key.name]);
    }
  }

  function check(scalar: Scalar, allowed: boolean): void {
    if (!allowed && scalar.secret) {
      const hint = "Only fields that a kind marks as secret may refer to one. Write $${ for a literal ${.";
      report(problemAt(scalar, "SP1015", "A reference to a secret may not stand here.", { hint }));
    }
    if (!allowed || scalar.value === null || isReference(scalar)) return;
    // Without the excerpt: its lines may hold the secret itself.
    const { excerpt: _secret, ...place } = placeOf(scalar);
    const message = "A secret may not be written into a manifest.";
    report({ code: "SP1015", message, hint: "Refer to it: ${env:NAME} or ${file:path}.", place });
  }
}

/** Whether a scalar is one reference and nothing else. */
function isReference(scalar: Scalar): boolean {
  return scalar.secret === true && parseSecretReference(scalar.written) !== undefined;
}
