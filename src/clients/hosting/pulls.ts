import { z } from "zod";
import { read, write } from "../table.ts";
import { beyond, inPages, linkedPages, pageNames } from "./paging.ts";
import { CommentRecord, PullRequestRecord } from "./records.ts";

export const inRepository = { owner: z.string(), repo: z.string() };

/** Operations on pull requests, and on the comments that they share with issues. @see docs/api/hosting.md */
export const pullOperations = {
  getPullRequest: read({
    summary: "A pull request.",
    method: "GET",
    path: "/repos/{owner}/{repo}/pulls/{pull_number}",
    args: z.object({ ...inRepository, pullNumber: z.int() }),
    result: PullRequestRecord,
  }),
  listIssueComments: read({
    summary: "The comments on an issue or a pull request, oldest first.",
    method: "GET",
    path: "/repos/{owner}/{repo}/issues/{issue_number}/comments",
    query: [...pageNames, "since"],
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
    method: "POST",
    path: "/repos/{owner}/{repo}/issues/{issue_number}/comments",
    ext: "docs/facts.md, hosting: comments are written here",
    body: "json",
    args: z.object({ ...inRepository, issueNumber: z.int(), body: z.string() }),
    result: CommentRecord,
  }),
  updateIssueComment: write({
    summary: "Replaces the text of a comment on an issue or a pull request.",
    method: "PATCH",
    path: "/repos/{owner}/{repo}/issues/comments/{comment_id}",
    ext: "docs/facts.md, hosting: comments are written here",
    body: "json",
    args: z.object({ ...inRepository, commentId: z.int(), body: z.string() }),
    result: CommentRecord,
  }),
} as const;
