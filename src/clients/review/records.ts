import { z } from "zod";

/** An account; its names only if they were requested. */
const AccountRecord = z.looseObject({
  _account_id: z.int(),
  username: z.string().optional(),
  name: z.string().optional(),
  email: z.string().optional(),
});

/** Times are `YYYY-MM-DD HH:MM:SS.fffffffff` in UTC. */
const Time = z.string();

/** A label with its votes, each with the account that gave it; `date` is absent without a vote. */
const LabelRecord = z.looseObject({
  approved: AccountRecord.optional(),
  all: z.array(AccountRecord.extend({ value: z.int().optional(), date: Time.optional() })).optional(),
});

/** What was said about a change as a whole, on which of its revisions, counted from 1. */
const MessageRecord = z.looseObject({
  author: AccountRecord.optional(),
  message: z.string(),
  tag: z.string().optional(),
  _revision_number: z.int().optional(),
});

/** One upload of a change, with the files that it changes by path if they were requested. */
const RevisionRecord = z.looseObject({
  _number: z.union([z.int(), z.string()]),
  files: z.record(z.string(), z.looseObject({ status: z.string().optional() })).optional(),
});

/**
 * A change. `id` is `<project>~<branch>~<Change-Id>` in the documents and `<project>~<number>` on newer servers; both
 * name it. Optional fields come with `getChangeDetail` or options.
 */
export const ChangeRecord = z.looseObject({
  id: z.string(),
  project: z.string(),
  branch: z.string(),
  change_id: z.string(),
  subject: z.string(),
  status: z.string(),
  created: Time,
  updated: Time,
  _number: z.int(),
  owner: AccountRecord,
  /** Absent, as `deletions` is, if the service cannot compare the files. */
  insertions: z.int().optional(),
  deletions: z.int().optional(),
  hashtags: z.array(z.string()).optional(),
  submit_type: z.string().optional(),
  mergeable: z.boolean().optional(),
  unresolved_comment_count: z.int().optional(),
  has_review_started: z.boolean().optional(),
  current_revision: z.string().optional(),
  revisions: z.record(z.string(), RevisionRecord).optional(),
  labels: z.record(z.string(), LabelRecord).optional(),
  messages: z.array(MessageRecord).optional(),
  _more_changes: z.boolean().optional(),
});
export type ChangeRecord = z.infer<typeof ChangeRecord>;

/** The position of a comment of several lines; lines count from 1, characters from 0. */
export const CommentRange = z.object({
  start_line: z.int(),
  start_character: z.int(),
  end_line: z.int(),
  end_character: z.int(),
});
export type CommentRange = z.infer<typeof CommentRange>;

/** A comment. Without `line` it is about the whole file; with `range`, `line` is the range's last one. */
export const CommentRecord = z.looseObject({
  id: z.string(),
  message: z.string().optional(),
  line: z.int().optional(),
  range: CommentRange.optional(),
  patch_set: z.int().optional(),
  tag: z.string().optional(),
  in_reply_to: z.string().optional(),
  unresolved: z.boolean().optional(),
  updated: Time,
  author: AccountRecord.optional(),
});
export type CommentRecord = z.infer<typeof CommentRecord>;

/** Comments by path; `/PATCHSET_LEVEL` and `/COMMIT_MSG` take the place of a file. */
export const CommentsRecord = z.record(z.string(), z.array(CommentRecord));

/** `labels` has the votes that counted, if votes were sent. */
export const ReviewResult = z.looseObject({ labels: z.record(z.string(), z.int()).optional() });

/** Projects by name; `id` is the form-encoded name, `/` as `%2F`. */
export const ProjectsRecord = z.record(
  z.string(),
  z.looseObject({
    id: z.string(),
    name: z.string().optional(),
    description: z.string().optional(),
    state: z.string().optional(),
    _more_projects: z.boolean().optional(),
  }),
);
export type ProjectsRecord = z.infer<typeof ProjectsRecord>;

/** A commit with its whole message. @see docs/facts.md, Review: the revision is a commit */
export const CommitRecord = z.looseObject({
  commit: z.string(),
  parents: z.array(z.looseObject({ commit: z.string() })).default([]),
  author: z.looseObject({ name: z.string().optional(), email: z.string().optional(), date: Time.optional() }),
  message: z.string(),
});

/** Settings of a project. A switch has a `value` only if it is on. @see docs/facts.md, review */
export const ProjectConfigRecord = z.looseObject({
  description: z.string().optional(),
  submit_type: z.string().optional(),
  state: z.string().optional(),
});

/** The UUID of a group, which records have percent-encoded, with a plus for a space. */
const GroupId = z.string().transform((id, context) => {
  try {
    return decodeURIComponent(id.replaceAll("+", " "));
  } catch {
    context.addIssue({ code: "custom", message: "expected a percent-encoded id" });
    return z.NEVER;
  }
});

/** A group. @see docs/facts.md, review: how a group is named */
export const GroupRecord = z.looseObject({ id: GroupId, name: z.string().optional() });

/** Groups by name. */
export const GroupsRecord = z.record(z.string(), z.looseObject({ id: GroupId }));

/** A branch. */
export const BranchRecord = z.looseObject({ ref: z.string(), revision: z.string() });
