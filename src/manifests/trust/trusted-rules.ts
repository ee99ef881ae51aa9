import type { Kind } from "../../core/kind.ts";
import { type Problem, ProblemError } from "../../core/problem.ts";
import type { Service } from "../../core/service.ts";
import { type PolicyRule, readPolicies } from "../policies/read-policies.ts";
import type { FileSource } from "../sources/files.ts";
import {
  readWorkspace,
  type Workspace,
  type WorkspaceOptions,
  type WorkspaceParts,
} from "../workspace/read-workspace.ts";
import { isMissingVariables } from "../workspace/variables.ts";
import { openBudget } from "../yaml/budget.ts";
import { collect } from "../yaml/source-text.ts";

/** The rules at a ref that no pull request can change. */
export interface TrustedRules {
  readonly ref: string;
  /** The commit that the ref named, if the files come from a repository. */
  readonly commit: string | undefined;
  readonly source: FileSource;
  readonly parts: WorkspaceParts;
  readonly workspace: Workspace;
  readonly policies: readonly PolicyRule[];
  /** The manifests at the ref. */
  readonly manifests: ReadonlySet<string>;
}

/** Reads the workspace file, the policies and the files of variables at a ref. Throws `ProblemError` with what is wrong there. */
export async function readTrustedRules(
  ref: string,
  source: FileSource,
  options: Omit<WorkspaceOptions, "source"> & { readonly kinds: ReadonlyMap<string, Kind> },
): Promise<TrustedRules> {
  const { result: parts, problems } = await collect((report) => readWorkspace({ ...options, source }, report));
  // A file of variables that only the pull request has is one of its changes.
  const wrong = problems.filter((problem) => !isMissingVariables(problem, options));
  const workspace = parts?.workspace;
  if (parts === undefined || workspace === undefined || wrong.length > 0)
    throw new ProblemError(...wrong.map(atRef(ref)));
  const policies = await readPolicies({ ...options, source, budget: openBudget(parts.limits) }, parts);
  if (policies.problems.length > 0) throw new ProblemError(...policies.problems.map(atRef(ref)));
  const manifests = await source.list(parts.globs.map(({ glob }) => glob));
  return {
    ref,
    commit: source.commit,
    source,
    parts,
    workspace,
    policies: policies.rules,
    manifests: new Set(manifests),
  };
}

/** Whether the trusted rules have a service of the workspace, so it may be contacted. */
export function isTrusted({ workspace }: TrustedRules, { name, role }: Pick<Service, "name" | "role">): boolean {
  return workspace.services.some((service) => service.name === name && service.role === role);
}

function atRef(ref: string): (problem: Problem) => Problem {
  return (problem) => ({ ...problem, message: `At ${ref}: ${problem.message}` });
}
