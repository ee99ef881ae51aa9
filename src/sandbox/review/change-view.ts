import { hash } from "node:crypto";
import { z } from "zod";
import { canonicalJson, type JsonObject } from "../../core/text/json.ts";
import type { Account } from "../accounts.ts";
import type { Asked } from "../exchange.ts";
import { formEncode } from "./access-view.ts";
import { viewAccount, viewTime } from "./account-view.ts";
import type { ReviewChange, ReviewComment } from "./change-state.ts";
import { codeReview, permittedVotes, viewLabels, viewSubmitRecord } from "./label-view.ts";
import type { ReviewState } from "./state.ts";

/** Options of a change's record that the stand-in answers. @see docs/api/review.md, changes */
export const ChangeOption = z.enum([
  "ALL_FILES",
  "ALL_REVISIONS",
  "CHECK",
  "CURRENT_ACTIONS",
  "CURRENT_REVISION",
  "DETAILED_ACCOUNTS",
  "DETAILED_LABELS",
  "MESSAGES",
  "SUBMITTABLE",
]);
export type ChangeOption = z.infer<typeof ChangeOption>;

/** Returns a change as an account sees it. `id` contains the number, as on newer servers. @see docs/facts.md, review */
export function viewChange(
  { state, accounts, account }: Asked<ReviewState>,
  change: ReviewChange,
  options: ReadonlySet<ChangeOption>,
): JsonObject {
  const { project, branch, number, status, revisions } = change;
  const open = status === "NEW";
  const detailed = options.has("DETAILED_ACCOUNTS");
  const submitRecord = viewSubmitRecord(accounts, change, detailed);
  const labels = options.has("DETAILED_LABELS");
  return {
    id: `${formEncode(project)}~${number}`,
    triplet_id: `${formEncode(project)}~${formEncode(branch)}~${change.changeId}`,
    project,
    branch,
    hashtags: change.hashtags,
    change_id: change.changeId,
    subject: change.subject,
    status,
    created: viewTime(change.created),
    updated: viewTime(change.updated),
    submit_type: open ? (state.projects[project]?.submitType ?? "MERGE_IF_NECESSARY") : undefined,
    submittable: options.has("SUBMITTABLE") ? submitRecord.status === "OK" : undefined,
    insertions: Object.values(revisions.at(-1)?.files ?? {}).reduce((sum, { lines }) => sum + lines, 0),
    deletions: 0,
    total_comment_count: change.comments.length,
    unresolved_comment_count: unresolvedThreads(change),
    has_review_started: true,
    meta_rev_id: idOf(change),
    _number: number,
    virtual_id_number: number,
    owner: viewAccount(accounts, change.owner, detailed),
    actions: options.has("CURRENT_ACTIONS") ? (open && account !== undefined ? actions : {}) : undefined,
    labels: labels ? viewLabels(accounts, change, detailed) : undefined,
    permitted_labels:
      labels && account !== undefined ? (open ? { [codeReview]: permittedVotes(account) } : {}) : undefined,
    messages: options.has("MESSAGES") ? viewMessages(accounts, change, detailed) : undefined,
    current_revision_number: revisions.length,
    ...viewRevisions(accounts, change, options),
    problems: options.has("CHECK") ? [] : undefined,
    requirements: [],
    submit_records: open ? [submitRecord] : [],
  };
}

const actions = {
  abandon: { method: "POST", label: "Abandon", title: "Abandon the change", enabled: true },
  move: { method: "POST", label: "Move Change", title: "Move change to a different branch", enabled: true },
};

function viewMessages(accounts: readonly Account[], change: ReviewChange, detailed: boolean): JsonObject[] {
  return change.messages.map(({ author, date, message, tag, revision }, index) => ({
    id: messageId(change, index),
    tag,
    author: viewAccount(accounts, author, detailed),
    date: viewTime(date),
    message,
    accounts_in_message: [],
    _revision_number: revision,
  }));
}

function viewRevisions(accounts: readonly Account[], change: ReviewChange, options: ReadonlySet<ChangeOption>) {
  const all = options.has("ALL_REVISIONS");
  if (!all && !options.has("CURRENT_REVISION")) return {};
  const count = change.revisions.length;
  const views = change.revisions.map(({ created, files }, index) => [
    revisionCommit(change, index + 1),
    {
      kind: "REWORK",
      _number: index + 1,
      created: viewTime(created),
      uploader: viewAccount(accounts, change.owner, options.has("DETAILED_ACCOUNTS")),
      ref: `refs/changes/${String(change.number % 100).padStart(2, "0")}/${change.number}/${index + 1}`,
      fetch: {},
      branch: `refs/heads/${change.branch}`,
      files: options.has("ALL_FILES") ? viewFiles(files) : undefined,
    },
  ]);
  return {
    current_revision: revisionCommit(change, count),
    revisions: Object.fromEntries(all ? views : views.slice(-1)),
  };
}

function viewFiles(files: ReviewChange["revisions"][number]["files"]): JsonObject {
  const views = Object.entries(files).map(([path, { lines, size }]) => [
    path,
    { status: "A", new_mode: 0o100644, lines_inserted: lines, size_delta: size, size },
  ]);
  return Object.fromEntries(views);
}

/** Returns a comment as the list of its change shows it; a revision's list omits `patch_set` and `change_message_id`. */
export function viewComment(
  accounts: readonly Account[],
  change: ReviewChange,
  comment: ReviewComment,
  from: "change" | "revision",
): JsonObject {
  const { range, line = range?.end_line } = comment;
  return {
    author: viewAccount(accounts, comment.author, true),
    tag: comment.tag,
    change_message_id: from === "change" ? messageId(change, comment.message) : undefined,
    patch_set: from === "change" ? comment.revision : undefined,
    unresolved: comment.unresolved,
    in_reply_to: comment.replyTo,
    id: commentId(change, comment),
    line,
    range,
    updated: viewTime(comment.updated),
    message: comment.text,
    commit_id: revisionCommit(change, comment.revision),
  };
}

/** Counts the unresolved threads: the last comment of a thread decides. */
function unresolvedThreads(change: ReviewChange): number {
  const ids = change.comments.map((comment) => commentId(change, comment));
  const threads = new Map<number, boolean>();
  for (const [index, { replyTo, unresolved }] of change.comments.entries()) {
    let root = index;
    for (let parent = replyTo; parent !== undefined && ids.includes(parent); ) {
      root = ids.indexOf(parent);
      parent = change.comments[root]?.replyTo;
    }
    threads.set(root, unresolved);
  }
  return [...threads.values()].filter((unresolved) => unresolved).length;
}

/** Returns the commit of a revision; revisions count from 1. */
export function revisionCommit({ number, project, changeId }: ReviewChange, revision: number): string {
  return idOf([project, number, changeId, revision]);
}

/** Returns the id of a comment, derived from its contents and its place. */
export function commentId({ number }: ReviewChange, comment: ReviewComment): string {
  const digits = idOf([number, comment]);
  return `${digits.slice(0, 8)}_${digits.slice(8, 16)}`;
}

function messageId({ number }: ReviewChange, index: number): string {
  return idOf([number, "message", index]);
}

function idOf(value: unknown): string {
  return hash("sha1", canonicalJson(value));
}
