import { z } from "zod";
import { get, read, send, write } from "../table.ts";
import { beyond, inPages, linkedPages } from "./paging.ts";
import { CommentRecord, PullRequestRecord } from "./records.ts";

export const inRepository = { owner: z.string(), repo: z.string() };

/** Operations on pull requests, and on the comments that they share with issues. @see docs/api/hosting.md */
export const pullOperations = {
  getPullRequest: read({
    summary: "A pull request.",
    ...get("/repos/{owner}/{repo}/pulls/{pull_number}"),
    args: z.object({ ...inRepository, pullNumber: z.int() }),
    result: PullRequestRecord,
  }),
  listIssueComments: read({
    summary: "The comments on an issue or a pull request, oldest first.",
    ...get("/repos/{owner}/{repo}/issues/{issue_number}/comments"),
    args: z.object({
      ...inRepository,
      issueNumber: z.int(),
      ...inPages,
      since: z.string().optional().describe("Only comments updated since this time: ISO 8601.").meta(beyond),
    }),
    result: z.array(CommentRecord),
    paging: linkedPages("id"),
  }),
  createIssueComment: write({
    summary: "Adds a comment to an issue or a pull request.",
    ...send("POST", "/repos/{owner}/{repo}/issues/{issue_number}/comments", "json"),
    ext: "docs/facts.md, hosting: comments are written here",
    args: z.object({ ...inRepository, issueNumber: z.int(), body: z.string() }),
    result: CommentRecord,
  }),
  updateIssueComment: write({
    summary: "Replaces the text of a comment on an issue or a pull request.",
    ...send("PATCH", "/repos/{owner}/{repo}/issues/comments/{comment_id}", "json"),
    ext: "docs/facts.md, hosting: comments are written here",
    args: z.object({ ...inRepository, commentId: z.int(), body: z.string() }),
    result: CommentRecord,
  }),
} as const;
