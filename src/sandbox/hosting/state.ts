import { z } from "zod";
import { CommitState } from "../../clients/hosting/records.ts";

const Sha = z.string().regex(/^[0-9a-f]{40}$/);
/** ISO 8601 in UTC, without fractions of a second. */
const Time = z.iso.datetime();

const Person = z.strictObject({ name: z.string(), email: z.string(), date: Time, login: z.string().optional() });
export type Person = z.infer<typeof Person>;

/** `files` are the paths that the commit changes. */
const Commit = z.strictObject({
  sha: Sha,
  message: z.string(),
  author: Person,
  /** The author by default. */
  committer: Person.optional(),
  parents: z.array(Sha).default([]),
  files: z
    .array(z.strictObject({ filename: z.string(), additions: z.int().default(0), deletions: z.int().default(0) }))
    .default([]),
});
export type Commit = z.infer<typeof Commit>;

const Branch = z.strictObject({ sha: Sha, protected: z.boolean().default(false) });

const Comment = z.strictObject({
  id: z.int(),
  user: z.string(),
  body: z.string(),
  created_at: Time,
  /** The time of creation by default. */
  updated_at: Time.optional(),
});
export type Comment = z.infer<typeof Comment>;

const End = z.strictObject({ ref: z.string(), sha: Sha });

/** A pull request is open until it is closed or merged. Pull requests and issues share their numbers. */
const PullRequest = z.strictObject({
  number: z.int(),
  title: z.string(),
  body: z.string().nullable().default(null),
  user: z.string(),
  draft: z.boolean().default(false),
  head: End,
  base: End,
  created_at: Time,
  closed_at: Time.optional(),
  merged: z.strictObject({ at: Time, by: z.string(), sha: Sha }).optional(),
  comments: z.array(Comment).default([]),
});
export type PullRequest = z.infer<typeof PullRequest>;

const Status = z.strictObject({
  id: z.int(),
  sha: Sha,
  state: CommitState,
  context: z.string(),
  description: z.string().nullable(),
  target_url: z.string().nullable(),
  creator: z.string(),
  created_at: Time,
});
export type Status = z.infer<typeof Status>;

/** `inputs` names what the workflow takes when it is started manually; without `inputs` it cannot be. */
const Workflow = z.strictObject({
  id: z.int(),
  name: z.string(),
  path: z.string().startsWith(".github/workflows/"),
  inputs: z.array(z.string()).optional(),
});
export type Workflow = z.infer<typeof Workflow>;

/** A run of the workflow with the id `workflow`. */
const Run = z.strictObject({
  id: z.int(),
  workflow: z.int(),
  number: z.int(),
  event: z.string(),
  branch: z.string(),
  sha: Sha,
  status: z.enum(["queued", "in_progress", "completed"]),
  conclusion: z.enum(["success", "failure", "cancelled"]).nullable().default(null),
  actor: z.string(),
  created_at: Time,
  updated_at: Time,
  /** The log files' text by name; omitted while the run is in progress and once the logs are deleted. */
  logs: z.record(z.string(), z.string()).optional(),
});
export type WorkflowRun = z.infer<typeof Run>;

const Release = z.strictObject({
  id: z.int(),
  tag_name: z.string(),
  name: z.string(),
  body: z.string().default(""),
  draft: z.boolean().default(false),
  prerelease: z.boolean().default(false),
  /** Name of the account. */
  author: z.string().default("admin"),
  created_at: Time,
});
export type Release = z.infer<typeof Release>;

/** Whether workflows may run in a repository, and which actions they may use. */
export const ActionsSettings = z.strictObject({
  enabled: z.boolean(),
  allowed_actions: z.enum(["all", "local_only", "selected"]).default("all"),
  sha_pinning_required: z.boolean().default(false),
});

/** A repository without commits is empty: it has no branches. */
const Repository = z
  .strictObject({
    id: z.int(),
    owner: z.string(),
    name: z.string(),
    description: z.string().nullable().default(null),
    /** Whether only administrators and readers can see it. */
    private: z.boolean().default(false),
    created_at: Time.default("2025-01-01T00:00:00Z"),
    default_branch: z.string().default("main"),
    actions: ActionsSettings.prefault({ enabled: true }),
    commits: z.array(Commit).default([]),
    branches: z.record(z.string(), Branch).default({}),
    pulls: z.array(PullRequest).default([]),
    /** Comments by the number of the issue. */
    issues: z.record(z.string(), z.array(Comment)).default({}),
    statuses: z.array(Status).default([]),
    workflows: z.array(Workflow).default([]),
    runs: z.array(Run).default([]),
    releases: z.array(Release).default([]),
  })
  .superRefine(({ commits, branches, workflows, runs }, context) => {
    for (const [name, { sha }] of Object.entries(branches))
      if (!commits.some((commit) => commit.sha === sha))
        context.addIssue({ code: "custom", path: ["branches", name, "sha"], message: "names no commit" });
    for (const [index, { workflow }] of runs.entries())
      if (!workflows.some(({ id }) => id === workflow))
        context.addIssue({ code: "custom", path: ["runs", index, "workflow"], message: "names no workflow" });
  });
export type HostedRepository = z.infer<typeof Repository>;

/** The code hosting service: its repositories and the caller's remaining quota. */
export const HostingState = z
  .strictObject({
    /** Version of a self-hosted server; the hosted service reports none. */
    version: z.string().optional(),
    repositories: z.array(Repository).default([]),
    sshKeys: z
      .array(z.string())
      .default(["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPLL1lMZeFlrjm4s2X4zXnHw1dk0JVgIbMhg4VuxN0Nt"]),
    emojis: z.array(z.string()).default(["+1", "kite", "wind_face"]),
    zen: z.string().default("A long line holds the kite."),
    /** Reads leave the world unchanged, so `used` never grows: a test sets it to reach the limit. */
    rateLimit: z
      .strictObject({
        limit: z.int().default(5000),
        used: z.int().default(0),
        /** Epoch seconds. */
        reset: z.int().default(4_102_444_800),
        /** How many more writes are refused because they follow each other too fast. */
        tooFast: z.int().min(0).default(0),
      })
      .prefault({}),
  })
  .prefault({});
export type HostingState = z.infer<typeof HostingState>;
