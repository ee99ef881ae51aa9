import { z } from "zod";
import type { Reader } from "../../core/operation.ts";
import { get, read, send, write } from "../table.ts";
import { beyond, inPages, linkedPages, page, perPage, runPages } from "./paging.ts";
import {
  ActionsPermissions,
  BranchRecord,
  BranchSummary,
  CommentRecord,
  CommitRecord,
  CommitState,
  ContributorRecord,
  DispatchedRun,
  MetaRecord,
  PullRequestRecord,
  RateLimitRecord,
  RefRecord,
  ReleaseRecord,
  RepositoryRecord,
  RunState,
  StatusRecord,
  UserRecord,
  WorkflowRunsRecord,
} from "./records.ts";

const inRepository = { owner: z.string(), repo: z.string() };

/** Operations on pull requests, and on the comments that they share with issues. @see docs/api/hosting.md */
const pullOperations = {
  getPullRequest: read(get("/repos/{owner}/{repo}/pulls/{pull_number}"), {
    summary: "A pull request.",
    args: z.object({ ...inRepository, pullNumber: z.int() }),
    result: PullRequestRecord,
  }),
  listIssueComments: read(get("/repos/{owner}/{repo}/issues/{issue_number}/comments"), {
    summary: "The comments on an issue or a pull request, oldest first.",
    args: z.object({
      ...inRepository,
      issueNumber: z.int(),
      ...inPages,
      since: z.string().optional().describe("Only comments updated since this time: ISO 8601.").meta(beyond),
    }),
    result: z.array(CommentRecord),
    paging: linkedPages("id"),
  }),
  createIssueComment: write(send("POST", "/repos/{owner}/{repo}/issues/{issue_number}/comments", "json"), {
    summary: "Adds a comment to an issue or a pull request.",
    ext: "docs/facts.md, hosting: comments are written here",
    args: z.object({ ...inRepository, issueNumber: z.int(), body: z.string() }),
    result: CommentRecord,
  }),
  updateIssueComment: write(send("PATCH", "/repos/{owner}/{repo}/issues/comments/{comment_id}", "json"), {
    summary: "Replaces the text of a comment on an issue or a pull request.",
    ext: "docs/facts.md, hosting: comments are written here",
    args: z.object({ ...inRepository, commentId: z.int(), body: z.string() }),
    result: CommentRecord,
  }),
} as const;

/** The inputs of a workflow by name. @see docs/facts.md, Hosting: It takes 25 inputs at most */
export function inputsOf<Value extends z.ZodType>(value: Value) {
  return z
    .record(z.string(), value)
    .refine((inputs) => Object.keys(inputs).length <= 25, "expected at most 25 inputs")
    .meta({ maxProperties: 25 });
}

/** Operations of the code hosting service (GitHub). @see docs/api/hosting.md */
export const hostingOperations = {
  getUser: read(get("/user"), { summary: "The user of the credentials.", result: UserRecord }),
  getMeta: read(get("/meta"), { summary: "The service itself, with its SSH host keys.", result: MetaRecord }),
  listUserRepositories: read(get("/user/repos?per_page&type"), {
    summary: "The repositories that the caller can access, with the caller's permissions in each.",
    args: z.object({
      per_page: perPage,
      page,
      type: z.enum(["all", "owner", "public", "private", "member"]).optional(),
    }),
    result: z.array(RepositoryRecord),
    paging: linkedPages("id"),
  }),
  listOrganizationRepositories: read(get("/orgs/{org}/repos"), {
    summary: "The repositories of an organization that the caller can see.",
    args: z.object({
      org: z.string(),
      ...inPages,
      type: z.enum(["all", "public", "private", "forks", "sources", "member"]).optional().meta(beyond),
    }),
    result: z.array(RepositoryRecord),
    paging: linkedPages("id"),
  }),
  getRepository: read(get("/repos/{owner}/{repo}"), {
    summary: "A repository.",
    args: z.object(inRepository),
    result: RepositoryRecord,
  }),
  listContributors: read(get("/repos/{owner}/{repo}/contributors"), {
    summary: "The contributors of a repository, most active first; an empty repository has none.",
    args: z.object({
      ...inRepository,
      ...inPages,
      anon: z.boolean().optional().describe("Include contributors without an account.").meta(beyond),
    }),
    result: z.array(ContributorRecord).default([]),
    paging: linkedPages("login", "name", "email"),
  }),
  getActionsPermissions: read(get("/repos/{org}/{repo}/actions/permissions"), {
    summary: "Whether workflows may run in a repository, and which actions they may use.",
    args: z.object({ org: z.string(), repo: z.string() }),
    result: ActionsPermissions,
  }),
  setActionsPermissions: write(send("PUT", "/repos/{org}/{repo}/actions/permissions", "json"), {
    summary: "Sets whether workflows may run in a repository; omitted settings get the service's defaults.",
    args: z.object({
      org: z.string(),
      repo: z.string(),
      enabled: z.boolean(),
      allowed_actions: z.enum(["all", "local_only", "selected"]).optional().meta(beyond),
      sha_pinning_required: z.boolean().optional().meta(beyond),
    }),
  }),
  ...pullOperations,
  listBranches: read(get("/repos/{owner}/{repo}/branches"), {
    summary: "The branches of a repository.",
    args: z.object({ ...inRepository, ...inPages, protected: z.boolean().optional().meta(beyond) }),
    result: z.array(BranchSummary),
    paging: linkedPages("name"),
  }),
  getBranch: read(get("/repos/{owner}/{repo}/branches/{branch}"), {
    summary: "A branch, with the commit at its end.",
    args: z.object({ ...inRepository, branch: z.string() }),
    result: BranchRecord,
  }),
  listCommits: read(get("/repos/{owner}/{repo}/commits"), {
    summary: "The commits of a branch, newest first. Without dates the whole history is read.",
    args: z.object({
      ...inRepository,
      ...inPages,
      sha: z.string().optional().describe("Branch or commit to start from; default: the default branch.").meta(beyond),
      path: z.string().optional().describe("Only commits that change this path.").meta(beyond),
      author: z.string().optional().describe("Only commits by this login or email address.").meta(beyond),
      since: z.string().optional().describe("Only commits since this time: ISO 8601.").meta(beyond),
      until: z.string().optional().describe("Only commits until this time: ISO 8601.").meta(beyond),
    }),
    result: z.array(CommitRecord),
    paging: linkedPages("sha"),
  }),
  getCommit: read(get("/repos/{owner}/{repo}/commits/{sha}"), {
    summary: "A commit, by SHA or branch name.",
    args: z.object({ ...inRepository, sha: z.string() }),
    result: CommitRecord,
  }),
  listCommitStatuses: read(get("/repos/{owner}/{repo}/commits/{ref}/statuses"), {
    summary: "The statuses of a commit, newest first.",
    ext: "docs/facts.md, hosting: statuses are read back here",
    args: z.object({ ...inRepository, ref: z.string().describe("SHA or branch name."), ...inPages }),
    result: z.array(StatusRecord),
    paging: linkedPages("id"),
  }),
  getBranchRef: read(get("/repos/{owner}/{repo}/git/refs/heads/{branch}"), {
    summary: "The reference of a branch: the SHA of the commit at its end.",
    product: "/repos/{owner}/{repo}/git/ref/heads/{branch}",
    args: z.object({ ...inRepository, branch: z.string() }),
    result: RefRecord,
  }),
  createStatus: write(send("POST", "/repos/{owner}/{repo}/statuses/{sha}", "json"), {
    summary: "Adds a status to a commit. A status cannot be deleted; the newest of a context counts.",
    args: z.object({
      ...inRepository,
      sha: z.string(),
      state: CommitState,
      target_url: z.string().optional(),
      description: z.string().optional(),
      context: z.string().optional().describe("The reporting system, case-insensitive; default: `default`."),
    }),
    result: StatusRecord,
  }),
  listWorkflowRuns: read(get("/repos/{owner}/{repo}/actions/runs"), {
    summary: "The workflow runs of a repository, newest first.",
    args: z.object({
      ...inRepository,
      ...inPages,
      actor: z.string().optional().describe("Only runs started by this login.").meta(beyond),
      branch: z.string().optional().meta(beyond),
      event: z.string().optional().describe("The event that started them, such as `push`.").meta(beyond),
      status: RunState.optional().describe("A status or a conclusion.").meta(beyond),
      head_sha: z.string().optional().meta(beyond),
    }),
    result: WorkflowRunsRecord,
    paging: runPages,
  }),
  downloadWorkflowRunLogs: read(get("/repos/{owner}/{repo}/actions/runs/{run_id}/logs"), {
    summary: "Downloads the logs of a run as a zip file.",
    answer: "file",
    args: z.object({ ...inRepository, runId: z.int(), to: z.string().describe("The file to write.") }),
    result: z.object({ path: z.string(), bytes: z.int() }),
  }),
  dispatchWorkflow: write(send("POST", "/repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches", "json"), {
    summary: "Starts a workflow that allows manual runs.",
    args: z.object({
      ...inRepository,
      workflowId: z.union([z.int(), z.string()]).describe("Id, or name of the workflow's file."),
      ref: z.string().describe("Branch or tag."),
      inputs: inputsOf(z.json()).optional().meta(beyond),
      return_run_details: z.boolean().optional().describe("Whether to return the run that was started.").meta(beyond),
    }),
    result: DispatchedRun.optional(),
  }),
  getLatestRelease: read(get("/repos/{owner}/{repo}/releases/latest"), {
    summary: "The latest release that is neither a draft nor a prerelease.",
    args: z.object(inRepository),
    result: ReleaseRecord,
  }),
  listEmojis: read(get("/emojis"), {
    summary: "The URLs of available emojis, by name.",
    result: z.record(z.string(), z.string()),
  }),
  getZen: read(get("/zen"), { summary: "A short saying.", answer: "text", result: z.string() }),
  getMascot: read(get("/{mascot}"), {
    summary: "The service's mascot as ASCII art.",
    answer: "text",
    args: z.object({
      mascot: z.string().default("octocat").describe("The mascot's name."),
      s: z.string().optional().describe("What it says.").meta(beyond),
    }),
    result: z.string(),
  }),
  getRateLimit: read(get("/rate_limit"), {
    summary: "The caller's remaining quota. This request does not count against it.",
    result: RateLimitRecord,
  }),
} as const;
export type HostingOperations = typeof hostingOperations;

/** The reading half of the code hosting client. */
export type HostingReader = Reader<HostingOperations>;
