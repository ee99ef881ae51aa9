import type { Kind } from "../../core/kind.ts";
import type { Problem } from "../../core/problem.ts";
import type { FileSource } from "../sources/files.ts";
import type { PlacedPolicy, WorkspaceParts } from "../workspace/read-workspace.ts";
import type { Budget } from "../yaml/budget.ts";
import { type Collected, collect } from "../yaml/source-text.ts";
import type { PolicyCheck } from "./policies.ts";

/** A usable policy. */
export interface PolicyRule {
  readonly policy: PlacedPolicy;
  readonly check: PolicyCheck;
}

/** The usable policies of a workspace, and what is wrong with the others. */
export interface PolicyRules {
  readonly rules: readonly PolicyRule[];
  readonly problems: readonly Problem[];
}

interface PolicyOptions {
  readonly source: FileSource;
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly budget: Budget;
  /** False to read none. */
  readonly policies?: boolean;
}

/** Reads the policies of a workspace one after another: they share one budget. JSON Schema is loaded only if there are any. */
export async function readPolicies(
  { source, kinds, budget, policies: asked = true }: PolicyOptions,
  { policies }: Pick<WorkspaceParts, "policies">,
): Promise<PolicyRules> {
  if (!asked || policies.length === 0) return { rules: [], problems: [] };
  const { readPolicy } = await import("./policies.ts");
  const read: (Collected<PolicyCheck> & { readonly policy: PlacedPolicy })[] = [];
  for (const policy of policies) {
    if (budget.isSpent()) break;
    const sources = { files: source, kinds, budget };
    read.push({ policy, ...(await collect((report) => readPolicy(policy, sources, report))) });
  }
  return {
    rules: read.flatMap(({ policy, result }) => (result === undefined ? [] : [{ policy, check: result }])),
    problems: read.flatMap(({ problems }) => problems),
  };
}
