import { z } from "zod";
import { withUnclear } from "../unclear.ts";

/*
 * Records of the code hosting service. The fields that the API document names are required, and so are those that
 * distinguish one record of a list from another; the service sends many more. Times are ISO 8601 in UTC.
 * @see docs/api/hosting.md, records
 */

/** An account, or an organization if `type` says so. */
export const UserRecord = z.looseObject({
  login: z.string(),
  id: z.int().optional(),
  name: z.string().nullish(),
  email: z.string().nullish(),
  type: z.string().optional(),
});

/** The service itself. `ssh_keys` are host keys as lines of a known hosts file, without the host. */
export const MetaRecord = z.looseObject({
  ssh_keys: z.array(z.string()).optional(),
  installed_version: z.string().optional().describe("The version of a self-hosted server."),
});

/** What the caller may do in a repository. */
const RepositoryPermissions = z.looseObject({
  admin: z.boolean(),
  maintain: z.boolean().optional(),
  push: z.boolean(),
  triage: z.boolean().optional(),
  pull: z.boolean(),
});

/** A repository; `permissions` are the caller's. */
export const RepositoryRecord = z.looseObject({
  id: z.int(),
  name: z.string(),
  full_name: z.string(),
  html_url: z.string(),
  private: z.boolean().optional(),
  description: z.string().nullish(),
  default_branch: z.string().optional(),
  archived: z.boolean().optional(),
  permissions: RepositoryPermissions.nullish(),
});

/** Who wrote commits, and how many; someone without an account has no `login`. */
export const ContributorRecord = z.looseObject({
  login: z.string().optional(),
  name: z.string().nullish(),
  email: z.string().nullish(),
  type: z.string(),
  contributions: z.int(),
});

/**
 * Whether workflows may run in a repository, and which actions they may use.
 * @see docs/facts.md, hosting: `allowed_actions` and `sha_pinning_required` are not in the document
 */
export const ActionsPermissions = withUnclear(
  z.strictObject({
    enabled: z.boolean(),
    allowed_actions: z.enum(["all", "local_only", "selected"]).optional(),
    selected_actions_url: z.string().optional(),
    sha_pinning_required: z.boolean().optional(),
  }),
);
export type ActionsPermissions = z.infer<typeof ActionsPermissions>;

/** One end of a pull request. */
const PullEnd = z.looseObject({ ref: z.string(), sha: z.string() });

/** A pull request; `mergeable` is null while the service finds out. */
export const PullRequestRecord = z.looseObject({
  number: z.int(),
  state: z.string(),
  title: z.string(),
  body: z.string().nullish(),
  draft: z.boolean().optional(),
  merged: z.boolean().optional(),
  mergeable: z.boolean().nullish(),
  merge_commit_sha: z.string().nullish(),
  head: PullEnd,
  base: PullEnd,
});

export const CommentRecord = z.looseObject({
  id: z.int(),
  body: z.string().optional(),
  user: UserRecord.nullish(),
  created_at: z.string(),
  updated_at: z.string(),
});

/** A branch in a list. */
export const BranchSummary = z.looseObject({
  name: z.string(),
  commit: z.looseObject({ sha: z.string() }),
  protected: z.boolean().optional(),
});

/** Who made a commit, and when. */
const GitPerson = z.looseObject({
  name: z.string().optional(),
  email: z.string().optional(),
  date: z.string().optional(),
});

/** A commit; `author` and `committer` are accounts, null if the service knows none. */
export const CommitRecord = z.looseObject({
  sha: z.string(),
  html_url: z.string().optional(),
  commit: z.looseObject({ author: GitPerson.nullable(), committer: GitPerson.nullable(), message: z.string() }),
  author: z.looseObject({ login: z.string().optional() }).nullish(),
  committer: z.looseObject({ login: z.string().optional() }).nullish(),
  parents: z.array(z.looseObject({ sha: z.string() })).optional(),
});

/** A branch with the commit at its end. */
export const BranchRecord = BranchSummary.extend({ commit: CommitRecord });

/** What a reference points to. */
export const RefRecord = z.looseObject({
  ref: z.string().optional(),
  object: z.looseObject({ sha: z.string(), type: z.string().optional() }),
});

/** The state of a commit in the eyes of one system, its `context`. */
export const CommitState = z.enum(["error", "failure", "pending", "success"]);

export const StatusRecord = z.looseObject({
  id: z.int(),
  state: CommitState,
  context: z.string(),
  description: z.string().nullish(),
  target_url: z.string().nullish(),
  created_at: z.string(),
  creator: UserRecord.nullish(),
});

/** The states that runs can be filtered by: a status, or the conclusion of a completed one. */
export const RunState = z.enum([
  "completed",
  "action_required",
  "cancelled",
  "failure",
  "neutral",
  "skipped",
  "stale",
  "success",
  "timed_out",
  "in_progress",
  "queued",
  "requested",
  "waiting",
  "pending",
]);

/** A run of a workflow; `conclusion` is null until it is completed. */
const WorkflowRun = z.looseObject({
  id: z.int(),
  name: z.string().nullish(),
  workflow_id: z.int(),
  run_number: z.int(),
  event: z.string(),
  status: z.string().nullable(),
  conclusion: z.string().nullable(),
  head_branch: z.string().nullable(),
  head_sha: z.string(),
  html_url: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
});

export const WorkflowRunsRecord = z.looseObject({ total_count: z.int(), workflow_runs: z.array(WorkflowRun) });
export type WorkflowRunsRecord = z.infer<typeof WorkflowRunsRecord>;

/** The run that a dispatch started. */
export const DispatchedRun = z.looseObject({ workflow_run_id: z.int(), run_url: z.string(), html_url: z.string() });

export const ReleaseRecord = z.looseObject({
  id: z.int().optional(),
  tag_name: z.string(),
  name: z.string().nullish(),
  body: z.string().nullish(),
  draft: z.boolean().optional(),
  prerelease: z.boolean().optional(),
  published_at: z.string().nullish(),
});

/** How many requests are allowed, and have been made, until `reset`, in seconds since 1970. */
const RateLimit = z.looseObject({
  limit: z.int(),
  remaining: z.int(),
  reset: z.int().min(0).max(8.64e12),
  used: z.int().optional(),
});

/** What is left of the caller's quota, by the kind of request; `core` is for all but searches and the like. */
export const RateLimitRecord = z.looseObject({
  resources: z.looseObject({ core: RateLimit }),
  rate: RateLimit.optional(),
});
