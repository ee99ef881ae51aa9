import { hash } from "node:crypto";
import { canonicalJson, type JsonObject } from "../../core/text/json.ts";
import type { Asked } from "../exchange.ts";
import { found } from "../refusal.ts";
import { viewAccount, viewTime } from "./account-view.ts";
import type { ReviewProject, ReviewState } from "./state.ts";

/** Returns the id of the newest commit of a project's configuration. */
export function revisionOf(name: string, project: ReviewProject): string {
  return hash("sha1", canonicalJson([name, project]));
}

/**
 * Returns a commit of a project's configuration; the first one created the project. Throws `Refusal` 404 for an unknown id.
 * @see docs/facts.md, Review: the revision is a commit; measured on a real server
 */
export function viewCommit({ accounts, params }: Asked<ReviewState>, project: ReviewProject): JsonObject {
  const { projectName: name = "", commitId = "" } = params;
  const made = [{ message: "Created project", author: "admin", date: "2026-01-01T00:00:00Z" }, ...project.commits];
  const idOf = (count: number) =>
    count === made.length ? revisionOf(name, project) : hash("sha1", canonicalJson([name, made.slice(0, count)]));
  const log = made.map((commit, index) => ({ ...commit, id: idOf(index + 1) }));
  const at = log.findIndex(({ id }) => id === commitId);
  const { message, author, date } = found(log[at], `Not found: ${commitId}`);
  const parent = log[at - 1];
  const { name: fullName = author, email } = viewAccount(accounts, author, true);
  const when = { date: viewTime(date), tz: 0 };
  return {
    commit: commitId,
    parents: parent === undefined ? [] : [{ commit: parent.id, subject: subjectOf(parent.message) }],
    author: { name: fullName, email, ...when },
    committer: { name: "Gerrit Code Review", email: "root@localhost", ...when },
    subject: subjectOf(message),
    message: `${message}\n`,
  };
}

/** Returns the first paragraph of a message, on one line. */
function subjectOf(message: string): string {
  return (message.split("\n\n")[0] ?? "").replaceAll("\n", " ");
}
