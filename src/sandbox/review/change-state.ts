import { z } from "zod";
import { CommentRange } from "../../clients/review/records.ts";

const Time = z.iso.datetime();

const ReviewVote = z.strictObject({
  label: z.string(),
  account: z.string(),
  value: z.int(),
  date: Time,
  tag: z.string().optional(),
});
export type ReviewVote = z.infer<typeof ReviewVote>;

const ReviewMessage = z.strictObject({
  author: z.string(),
  date: Time,
  message: z.string(),
  tag: z.string().optional(),
  revision: z.int(),
});

const ReviewComment = z.strictObject({
  path: z.string(),
  revision: z.int(),
  /** Index of the message with which the comment was posted. */
  message: z.int(),
  line: z.int().optional(),
  range: CommentRange.strict().optional(),
  text: z.string(),
  unresolved: z.boolean().default(false),
  author: z.string(),
  updated: Time,
  tag: z.string().optional(),
  /** The id of the comment to which this one replies. */
  replyTo: z.string().optional(),
});
export type ReviewComment = z.infer<typeof ReviewComment>;

/** One upload of a change: the files it adds, with their lines and bytes. */
const ReviewRevision = z.strictObject({
  created: Time,
  files: z.record(z.string(), z.strictObject({ lines: z.int(), size: z.int() })).default({}),
});

/** A change under review. Accounts are user names. */
export const ReviewChange = z.strictObject({
  number: z.int().positive(),
  project: z.string(),
  /** Without `refs/heads/`. */
  branch: z.string(),
  changeId: z.string().regex(/^I[0-9a-f]{40}$/, "expected I and 40 hexadecimal digits"),
  subject: z.string(),
  status: z.enum(["NEW", "MERGED", "ABANDONED"]).default("NEW"),
  owner: z.string(),
  created: Time,
  updated: Time,
  hashtags: z.array(z.string()).default([]),
  revisions: z.array(ReviewRevision).min(1),
  votes: z.array(ReviewVote).default([]),
  messages: z.array(ReviewMessage).default([]),
  comments: z.array(ReviewComment).default([]),
});
export type ReviewChange = z.infer<typeof ReviewChange>;
