import { createHash } from "node:crypto";
import { canonicalJson, type JsonObject } from "../../core/json.ts";
import type { Account } from "../accounts.ts";
import type { World } from "../world.ts";
import { formEncode } from "./access-view.ts";
import { viewAccount, viewTime } from "./account-view.ts";
import type { ReviewChange, ReviewComment } from "./change-state.ts";
import { codeReview, permittedVotes, viewLabels, viewSubmitRecord } from "./label-view.ts";

/** Options of a change's record that the stand-in answers. @see docs/api/review.md, changes */
export type ChangeOption =
  | "ALL_FILES"
  | "ALL_REVISIONS"
  | "CHECK"
  | "CURRENT_ACTIONS"
  | "CURRENT_REVISION"
  | "DETAILED_ACCOUNTS"
  | "DETAILED_LABELS"
  | "MESSAGES"
  | "SUBMITTABLE";

/** A change as an account sees it. `id` names the number, as newer servers write it. @see docs/facts.md, review */
export function viewChange(
  world: World,
  change: ReviewChange,
  options: ReadonlySet<ChangeOption>,
  account: Account | undefined,
): JsonObject {
  const { project, branch, number, status } = change;
  const open = status === "NEW";
  const submitRecord = viewSubmitRecord(world, change, options.has("DETAILED_ACCOUNTS"));
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
    ...(open ? { submit_type: world.review.projects[project]?.submitType ?? "MERGE_IF_NECESSARY" } : {}),
    ...(options.has("SUBMITTABLE") ? { submittable: submitRecord.status === "OK" } : {}),
    insertions: Object.values(change.revisions.at(-1)?.files ?? {}).reduce((sum, { lines }) => sum + lines, 0),
    deletions: 0,
    total_comment_count: change.comments.length,
    unresolved_comment_count: change.comments.filter(({ unresolved }) => unresolved).length,
    has_review_started: true,
    meta_rev_id: hash(change),
    _number: number,
    virtual_id_number: number,
    owner: viewAccount(world, change.owner, options.has("DETAILED_ACCOUNTS")),
    ...(options.has("CURRENT_ACTIONS") ? { actions: open && account !== undefined ? viewActions() : {} } : {}),
    ...(options.has("DETAILED_LABELS") ? viewDetailedLabels(world, change, options, account) : {}),
    ...(options.has("MESSAGES") ? { messages: viewMessages(world, change, options) } : {}),
    current_revision_number: change.revisions.length,
    ...viewRevisions(world, change, options),
    ...(options.has("CHECK") ? { problems: [] } : {}),
    requirements: [],
    submit_records: open ? [submitRecord] : [],
  };
}

function viewActions(): JsonObject {
  return {
    abandon: { method: "POST", label: "Abandon", title: "Abandon the change", enabled: true },
    move: { method: "POST", label: "Move Change", title: "Move change to a different branch", enabled: true },
  };
}

function viewDetailedLabels(
  world: World,
  change: ReviewChange,
  options: ReadonlySet<ChangeOption>,
  account: Account | undefined,
): JsonObject {
  return {
    labels: viewLabels(world, change, options.has("DETAILED_ACCOUNTS")),
    ...(account === undefined
      ? {}
      : { permitted_labels: change.status === "NEW" ? { [codeReview]: permittedVotes(account) } : {} }),
  };
}

function viewMessages(world: World, change: ReviewChange, options: ReadonlySet<ChangeOption>): JsonObject[] {
  return change.messages.map(({ author, date, message, tag, revision }, index) => ({
    id: messageId(change, index),
    tag,
    author: viewAccount(world, author, options.has("DETAILED_ACCOUNTS")),
    date: viewTime(date),
    message,
    accounts_in_message: [],
    _revision_number: revision,
  }));
}

function viewRevisions(world: World, change: ReviewChange, options: ReadonlySet<ChangeOption>): JsonObject {
  const all = options.has("ALL_REVISIONS");
  if (!all && !options.has("CURRENT_REVISION")) return {};
  const count = change.revisions.length;
  const views = change.revisions.map(({ created, files }, index) => [
    commitOf(change, index + 1),
    {
      kind: "REWORK",
      _number: index + 1,
      created: viewTime(created),
      uploader: viewAccount(world, change.owner, options.has("DETAILED_ACCOUNTS")),
      ref: `refs/changes/${String(change.number % 100).padStart(2, "0")}/${change.number}/${index + 1}`,
      fetch: {},
      branch: `refs/heads/${change.branch}`,
      ...(options.has("ALL_FILES") ? { files: viewFiles(files) } : {}),
    },
  ]);
  return {
    current_revision: commitOf(change, count),
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

/** A comment in the list of its change; a revision's list leaves out `patch_set` and `change_message_id`. */
export function viewComment(
  world: World,
  change: ReviewChange,
  comment: ReviewComment,
  from: "change" | "revision",
): JsonObject {
  const { range, line = range?.end_line } = comment;
  return {
    author: viewAccount(world, comment.author, true),
    tag: comment.tag,
    ...(from === "change"
      ? { change_message_id: messageId(change, comment.message), patch_set: comment.revision }
      : {}),
    unresolved: comment.unresolved,
    id: commentId(change, comment),
    line,
    range,
    updated: viewTime(comment.updated),
    message: comment.text,
    commit_id: commitOf(change, comment.revision),
  };
}

/** The commit of a revision, counted from 1. */
export function commitOf({ number, project, changeId }: ReviewChange, revision: number): string {
  return hash([project, number, changeId, revision]);
}

/** The id of a comment, which its contents and its place make up. */
export function commentId({ number }: ReviewChange, comment: ReviewComment): string {
  const digits = hash([number, comment]);
  return `${digits.slice(0, 8)}_${digits.slice(8, 16)}`;
}

function messageId({ number }: ReviewChange, index: number): string {
  return hash([number, "message", index]);
}

function hash(value: unknown): string {
  return createHash("sha1").update(canonicalJson(value)).digest("hex");
}
