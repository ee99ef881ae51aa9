import { createHash } from "node:crypto";
import type { Resource } from "../../core/resource.ts";
import { canonicalJson } from "../../core/text/json.ts";
import { portable } from "../saved/portable.ts";
import type { Declarations } from "../subjects.ts";

/**
 * Returns a hash of the manifests and rules, the same on every machine. Resources declared from a service's list are left out:
 * the list may have changed a moment later.
 */
export function digestOf({ desired, base }: Declarations, rules: unknown, folder: string): string {
  const hash = createHash("sha256").update(canonicalJson(rules));
  const add = (resources: readonly Resource[]) => {
    for (const { address, role, scope, spec, metadata, listed } of resources)
      if (listed !== true) hash.update(canonicalJson(portable([address, role, scope, spec, metadata], folder)));
  };
  add(desired);
  hash.update(base === undefined ? "without a base" : "base");
  add(base ?? []);
  return hash.digest("hex");
}
