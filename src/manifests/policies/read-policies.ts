import type { Kind } from "../../core/kind.ts";
import type { Problem } from "../../core/problem.ts";
import type { FileSource } from "../sources/files.ts";
import type { PlacedPolicy, WorkspaceParts } from "../workspace/read-workspace.ts";
import type { Budget } from "../yaml/budget.ts";
import { collect } from "../yaml/source-text.ts";
import type { PolicyCheck } from "./policies.ts";

export interface PolicyRule {
  readonly policy: PlacedPolicy;
  readonly check: PolicyCheck;
}

interface PolicyOptions {
  readonly source: FileSource;
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly budget: Budget;
  /** False to read none. */
  readonly policies?: boolean;
}

/**
 * Returns the usable policies of a workspace, and what is wrong with the others. They are read one after another, because they
 * share one budget. JSON Schema is loaded only if there are any.
 */
export async function readPolicies(
  { source, kinds, budget, policies: asked = true }: PolicyOptions,
  { policies }: Pick<WorkspaceParts, "policies">,
): Promise<{ readonly rules: readonly PolicyRule[]; readonly problems: readonly Problem[] }> {
  if (!asked || policies.length === 0) return { rules: [], problems: [] };
  const { readPolicy } = await import("./policies.ts");
  const [rules, problems]: [PolicyRule[], Problem[]] = [[], []];
  for (const policy of policies) {
    if (budget.isSpent()) break;
    const sources = { files: source, kinds, budget };
    const { result: check, problems: faults } = await collect((report) => readPolicy(policy, sources, report));
    if (check !== undefined) rules.push({ policy, check });
    problems.push(...faults);
  }
  return { rules, problems };
}
