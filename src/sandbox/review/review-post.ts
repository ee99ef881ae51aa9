import { z } from "zod";
import { CommentRange } from "../../clients/review/records.ts";
import { sameJson } from "../../core/text/json.ts";
import { counted } from "../../core/text/words.ts";
import type { Account } from "../accounts.ts";
import { Refusal } from "../refusal.ts";
import type { ReviewChange, ReviewComment, ReviewVote } from "./change-state.ts";
import { codeReview, votingRange } from "./label-view.ts";

const CommentInput = z.object({
  line: z.int().nullish(),
  range: CommentRange.nullish(),
  message: z.string().nullish(),
  unresolved: z.boolean().nullish(),
  in_reply_to: z.string().nullish(),
});

export const ReviewInput = z.object({
  tag: z.string().nullish(),
  message: z.string().nullish(),
  labels: z.record(z.string(), z.int()).nullish(),
  comments: z.record(z.string(), z.array(CommentInput)).nullish(),
  omit_duplicate_comments: z.boolean().nullish(),
});
type ReviewInput = z.infer<typeof ReviewInput>;

/** Who posts a review, when, and on which revision, counted from 1. */
interface Posting {
  readonly account: Account;
  /** ISO 8601, in UTC. */
  readonly date: string;
  readonly revision: number;
}

/** Paths that are in no revision but accept comments. */
const patchsetLevel = "/PATCHSET_LEVEL";
const magicPaths = ["/COMMIT_MSG", patchsetLevel];

/**
 * Returns a change after a review, and the votes that counted. Unknown labels, votes outside a label's range, and comments
 * without text are ignored. Throws `Refusal`: 403 for a vote that the account may not cast, 400 for a comment with an
 * invalid place.
 * @see docs/facts.md, review; every case is measured on a real server
 */
export function postReview(change: ReviewChange, input: ReviewInput, posting: Posting) {
  const { account, date, revision } = posting;
  const tag = input.tag || undefined;
  const labels = countingVotes(input, account);
  const comments = readComments(change, input, posting);
  const votes = Object.entries(labels).map(
    ([label, value]): ReviewVote => ({ label, value, account: account.username, date, tag }),
  );
  const moved = votes.filter((vote) => vote.value !== (change.votes.find((old) => isSameVote(old, vote))?.value ?? 0));
  const said = (input.message ?? "").trim();
  if (moved.length === 0 && comments.length === 0 && said === "") return { change, labels };
  const message = [
    `Patch Set ${revision}:${moved.map(({ label, value }) => ` ${spell(label, value)}`).join("")}`,
    ...(comments.length === 0 ? [] : [`(${counted(comments.length, "comment")})`]),
    ...(said === "" ? [] : [said]),
  ].join("\n\n");
  const kept = change.votes.filter((vote) => !moved.some((other) => isSameVote(other, vote)));
  return {
    labels,
    change: {
      ...change,
      updated: date,
      votes: [...kept, ...moved],
      comments: [...change.comments, ...comments],
      messages: [...change.messages, { author: account.username, date, message, revision, tag }],
    },
  };
}

function isSameVote(a: ReviewVote, b: ReviewVote): boolean {
  return a.label === b.label && a.account === b.account;
}

function countingVotes({ labels }: ReviewInput, account: Account): Record<string, number> {
  const { min, max } = votingRange(account);
  const known = Object.entries(labels ?? {}).filter(([label, value]) => label === codeReview && Math.abs(value) <= 2);
  for (const [label, value] of known)
    if (value < min || value > max) throw new Refusal(403, `Applying label "${label}": ${value} is restricted`);
  return Object.fromEntries(known);
}

function readComments(change: ReviewChange, input: ReviewInput, { account, date, revision }: Posting): ReviewComment[] {
  const files = change.revisions[revision - 1]?.files ?? {};
  return Object.entries(input.comments ?? {}).flatMap(([path, comments]) => {
    const worded = comments.filter(({ message }) => message?.trim());
    if (worded.length > 0 && !Object.hasOwn(files, path) && !magicPaths.includes(path))
      throw new Refusal(400, `file ${path} not found in revision ${change.number},${revision}`);
    return worded.flatMap((posted): ReviewComment[] => {
      const { line, range, message, unresolved, in_reply_to } = posted;
      checkPlace(path, posted);
      const comment = {
        path,
        revision,
        message: change.messages.length,
        text: message?.trim() ?? "",
        unresolved: unresolved ?? false,
        author: account.username,
        updated: date,
        range: range ?? undefined,
        line: range ? undefined : line || undefined,
        replyTo: in_reply_to || undefined,
        tag: input.tag || undefined,
      };
      const repeated = input.omit_duplicate_comments === true && change.comments.some((other) => says(other, comment));
      return repeated ? [] : [comment];
    });
  });
}

function checkPlace(path: string, { line, range }: z.infer<typeof CommentInput>): void {
  if (line && line < 0) throw new Refusal(400, `negative line number ${line} not allowed on ${path}`);
  if (range && !isRange(range))
    throw new Refusal(400, `Range (${spellRange(range)}) is not valid for the comment on ${path}`);
  if (path === patchsetLevel && (range || typeof line === "number"))
    throw new Refusal(400, "Patchset-level comments can't have side, range, or line");
}

/** Whether two comments say the same thing in the same place. */
function says(a: ReviewComment, b: ReviewComment): boolean {
  const essence = ({ author: _author, updated: _updated, tag: _tag, message: _message, ...rest }: ReviewComment) =>
    rest;
  return sameJson(essence(a), essence(b));
}

function isRange({ start_line, start_character, end_line, end_character }: CommentRange): boolean {
  const ordered = start_line < end_line || (start_line === end_line && start_character <= end_character);
  return ordered && start_line > 0 && start_character >= 0 && end_character >= 0;
}

function spellRange({ start_line, start_character, end_line, end_character }: CommentRange): string {
  return `${start_line}:${start_character} - ${end_line}:${end_character}`;
}

/** Formats a vote: `Code-Review+1`, `Code-Review-1`, and `-Code-Review` for a vote that was removed. */
function spell(label: string, value: number): string {
  if (value === 0) return `-${label}`;
  return `${label}${value > 0 ? "+" : ""}${value}`;
}
