import { z } from "zod";
import type { Reader } from "../../core/operation.ts";
import { get, read, send, write } from "../table.ts";
import { AccessSections, joinAccess, ProjectAccess, permissionNames } from "./access.ts";
import { ChangeQuery, changePages, projectPages } from "./query.ts";
import {
  BranchRecord,
  ChangeRecord,
  CommentRange,
  CommentRecord,
  CommentsRecord,
  CommitRecord,
  GroupRecord,
  GroupsRecord,
  ProjectConfigRecord,
  ProjectsRecord,
  ReviewResult,
} from "./records.ts";

/** A change by its number, its Change-Id, or project, branch and Change-Id (also as `project~branch~Change-Id`). */
const ChangeId = z
  .union([
    z.int(),
    z.string().transform(plainProject),
    z
      .strictObject({ project: z.string(), branch: z.string(), changeId: z.string() })
      .transform(({ project, branch, changeId }) => `${project}~${branch}~${changeId}`),
  ])
  .describe("Its number, its Change-Id, or `project~branch~Change-Id`.");

/** Decodes the project in a record's `id`, since the path is encoded again. No project has a percent sign in its name. */
function plainProject(changeId: string): string {
  return changeId.replace(/^[^~]*(?=~)/, (project) => project.replaceAll(/%2F/gi, "/"));
}

const RevisionId = z.union([z.string(), z.int()]).describe("`current`, its number or its commit.");

const o = z
  .array(z.string().regex(/^[A-Z_]+$/))
  .optional()
  .describe(
    "What the record contains: CHECK, SUBMITTABLE, CURRENT_REVISION, ALL_REVISIONS, ALL_FILES, DETAILED_LABELS, CURRENT_ACTIONS, MESSAGES.",
  );

const CommentInput = z
  .object({
    line: z.int().optional(),
    range: CommentRange.optional(),
    message: z.string(),
    unresolved: z.boolean().optional(),
    in_reply_to: z
      .string()
      .optional()
      .describe("The id of the comment that it answers.")
      .meta({ ext: "docs/facts.md, review: a comment that answers another one" }),
  })
  .describe("A comment on a line, a range or, with neither, the whole file.");

/** Marks a field that only the product accepts with a review. */
const posted = { ext: "docs/facts.md, review: a review may carry votes" };

/** Which part of a list is wanted. */
const paged = { ext: "docs/facts.md, review: queries page with n and S" };
const pages = {
  n: z.int().positive().optional().describe("The maximum number of entries; default: all.").meta(paged),
  S: z.int().min(0).optional().describe("Entries to skip.").meta(paged),
};

/** Operations on changes. Reads of comments are public in the documents; on the product they are signed in. */
const changeOperations = {
  getChange: read(get("/a/changes/{change-id}?o"), {
    summary: "A change.",
    args: z.object({ changeId: ChangeId, o }),
    result: ChangeRecord,
  }),
  getChangeDetail: read(get("/a/changes/{change-id}/detail"), {
    summary: "A change with its labels, votes and messages.",
    args: z.object({ changeId: ChangeId }),
    result: ChangeRecord,
  }),
  moveChange: write(send("POST", "/a/changes/{change-number}/move", "json"), {
    summary: "Moves an open change to another branch of its project; it loses all votes but vetoes.",
    args: z.object({ changeNumber: z.int(), destination_branch: z.string() }),
    result: ChangeRecord,
  }),
  queryChanges: read(get("/a/changes/?q"), {
    summary: "Changes that match a query, most recently changed first.",
    args: z.object({
      q: ChangeQuery,
      ...pages,
      o: o.meta({ ext: "docs/facts.md, review: in queries, o has the options of a change" }),
    }),
    result: z.array(ChangeRecord),
    paging: changePages,
  }),
  listChangeComments: read(get("/changes/{change-id}/comments"), {
    summary: "Published comments of a change, by path.",
    product: "/a/changes/{change-id}/comments",
    args: z.object({ changeId: ChangeId }),
    result: CommentsRecord,
  }),
  listRevisionComments: read(get("/changes/{change-id}/revisions/{revision-id}/comments"), {
    summary: "Published comments of one revision of a change, by path.",
    product: "/a/changes/{change-id}/revisions/{revision-id}/comments",
    args: z.object({ changeId: ChangeId, revisionId: RevisionId }),
    result: CommentsRecord,
  }),
  getRevisionComment: read(get("/changes/{change-id}/revisions/{revision-id}/comments/{comment-id}"), {
    summary: "One published comment of a revision.",
    product: "/a/changes/{change-id}/revisions/{revision-id}/comments/{comment-id}",
    args: z.object({ changeId: ChangeId, revisionId: RevisionId, commentId: z.string() }),
    result: CommentRecord,
  }),
  setReview: write(send("POST", "/changes/{change-id}/revisions/{revision-id}/review", "json"), {
    summary: "Posts a review: a message, votes, and comments on files, lines and ranges.",
    product: "/a/changes/{change-id}/revisions/{revision-id}/review",
    args: z.object({
      changeId: ChangeId,
      revisionId: RevisionId,
      tag: z.string().optional(),
      message: z.string().optional(),
      labels: z.record(z.string(), z.int()).optional().describe("Votes by label.").meta(posted),
      comments: z.record(z.string(), z.array(CommentInput)).optional().describe("Comments by path."),
      omit_duplicate_comments: z.boolean().optional().describe("Skips comments that already exist.").meta(posted),
    }),
    result: ReviewResult,
  }),
} as const;

/** Operations of the code review service (Gerrit). @see docs/api/review.md */
export const reviewOperations = {
  ...changeOperations,
  getServerVersion: read(get("/a/config/server/version"), {
    summary: "The server's version.",
    result: z.string().min(1),
    ext: "docs/decisions/versions.md: the product's own reference",
  }),
  listProjects: read(get("/a/projects/?d"), {
    summary: "Projects with their descriptions.",
    args: z.object(pages),
    result: ProjectsRecord,
    paging: projectPages,
  }),
  getProjectConfig: read(get("/a/projects/{project-name}/config"), {
    summary: "The settings of a project, including inherited ones.",
    args: z.object({ projectName: z.string() }),
    result: ProjectConfigRecord,
  }),
  getBranch: read(get("/a/projects/{project-name}/branches/{branch-id}"), {
    summary: "A branch of a project.",
    args: z.object({ projectName: z.string(), branchId: z.string().describe("Name without `refs/heads/`.") }),
    result: BranchRecord,
    ext: "docs/facts.md, review: whether a branch exists",
  }),
  getGroup: read(get("/a/groups/{group-id}"), {
    summary: "A group by its UUID, its number or its unique name.",
    args: z.object({ groupId: z.string() }),
    result: GroupRecord,
    ext: "docs/facts.md, review: how a group is named",
  }),
  listGroups: read(get("/a/groups/"), {
    summary: "The groups that the account can see, without those that the server or another system keeps.",
    result: GroupsRecord,
    ext: "docs/facts.md, review: how a group is named",
  }),
  getProjectAccess: read(get("/a/projects/{project-name}/access"), {
    summary: "The access rules of a project, without inherited ones.",
    args: z.object({ projectName: z.string() }),
    result: ProjectAccess,
  }),
  listAccess: read(get("/a/access/?project"), {
    summary: "The access rules of several projects in one request.",
    args: z.object({ project: z.array(z.string()) }),
    result: z.record(z.string(), ProjectAccess),
    ext: "docs/facts.md, review: many projects in one call",
  }),
  getCommit: read(get("/a/projects/{project-name}/commits/{commit-id}"), {
    summary: "A commit of a project, such as the `revision` of its access rules.",
    args: z.object({ projectName: z.string(), commitId: z.string().min(1) }),
    result: CommitRecord,
    ext: "docs/facts.md, Review: the revision is a commit",
  }),
  modifyProjectAccess: write(send("POST", "/a/projects/{project-name}/access", "json"), {
    summary: "Removes and then adds access rules of a project, in one commit of its configuration.",
    args: z.object({
      projectName: z.string(),
      remove: AccessSections.optional(),
      add: AccessSections.optional(),
      message: z.string().optional(),
    }),
    result: ProjectAccess,
    merge: { object: (args) => args.projectName, join: joinAccess, decides: permissionNames },
  }),
} as const;
export type ReviewOperations = typeof reviewOperations;

/** The reading half of the code review client. */
export type ReviewReader = Reader<ReviewOperations>;
