import { z } from "zod";
import type { Answers } from "../exchange.ts";
import { nextId, replace } from "../lists.ts";
import { found, foundIn } from "../refusal.ts";
import { created, readInput, requireRepository, requireRight, timeText, withRepository } from "./access.ts";
import { changedLines, historyOf } from "./commit-view.ts";
import { listed } from "./pages.ts";
import { repositoryView } from "./repository-view.ts";
import type { Comment, HostedRepository, HostingState, PullRequest, Release } from "./state.ts";
import { fields, nodeId, userView, type ViewedRepository } from "./views.ts";

/** Pull requests, the comments on them and on issues, and releases. */
export const pullAnswers = {
  getPullRequest(asked) {
    const here = requireRepository(asked);
    const isIt = ({ number }: PullRequest) => String(number) === asked.params.pullNumber;
    return { body: pullView(here, foundIn(here.repository.pulls, isIt)) };
  },

  listIssueComments(asked) {
    const here = requireRepository(asked);
    const number = asked.params.issueNumber ?? "";
    const since = Date.parse(asked.query.get("since") ?? "");
    const comments = commentsOn(here.repository, number)
      .filter(({ created_at, updated_at = created_at }) => !(Date.parse(updated_at) < since))
      .sort((a, b) => a.id - b.id);
    return listed(asked, comments, (comment) => commentView(here, number, comment));
  },

  createIssueComment(asked) {
    const here = requireRight(asked, commenting);
    const number = asked.params.issueNumber ?? "";
    const comments = commentsOn(here.repository, number);
    const { body } = readInput(CommentInput, asked);
    const id = nextId(asked.state.repositories.flatMap(issuesOf).flatMap(([, all]) => all));
    const comment: Comment = { id, user: here.account.username, body, created_at: timeText(asked.now) };
    return created(commentView(here, number, comment), withComments(here, number, [...comments, comment]));
  },

  updateIssueComment(asked) {
    const here = requireRight(asked, commenting);
    const isIt = ({ id }: Comment) => String(id) === asked.params.commentId;
    const [number, comments] = foundIn(issuesOf(here.repository), ([, all]) => all.some(isIt));
    const before = foundIn(comments, isIt);
    if (before.user !== here.account.username) requireRight(asked, ["admin"]);
    const { body } = readInput(CommentInput, asked);
    const comment: Comment = { ...before, body, updated_at: timeText(asked.now) };
    return {
      body: commentView(here, number, comment),
      changes: withComments(here, number, replace(comments, before, comment)),
    };
  },

  getLatestRelease(asked) {
    const here = requireRepository(asked);
    const [latest] = here.repository.releases
      .filter(({ draft, prerelease }) => !draft && !prerelease)
      .sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at) || b.id - a.id);
    return { body: releaseView(here, found(latest)) };
  },
} satisfies Answers<HostingState>;

/** The most characters of a comment. @see docs/facts.md, hosting */
const longestComment = 65_536;

const CommentInput = z.strictObject({ body: z.string().min(1).max(longestComment) });

/** The rights of those who may comment: readers may not. */
const commenting = ["admin", "member"] as const;

/** Returns the comments of every pull request and issue, by number. */
function issuesOf({ pulls, issues }: HostedRepository): readonly (readonly [string, readonly Comment[]])[] {
  return [...pulls.map(({ number, comments }) => [String(number), comments] as const), ...Object.entries(issues)];
}

function withComments(here: ViewedRepository, number: string, comments: Comment[]) {
  const { pulls, issues } = here.repository;
  const pull = pulls.find((one) => String(one.number) === number);
  const change =
    pull === undefined
      ? { issues: { ...issues, [number]: comments } }
      : { pulls: replace(pulls, pull, { ...pull, comments }) };
  return withRepository(here, change);
}

function commentsOn(repository: HostedRepository, number: string): readonly Comment[] {
  return foundIn(issuesOf(repository), ([one]) => one === number)[1];
}

function pullView(here: ViewedRepository, pull: PullRequest) {
  const { repository, url } = here;
  const { number, merged, comments, created_at, closed_at = merged?.at ?? null } = pull;
  const page = `${here.page}/pull/${number}`;
  const self = `${url}/pulls/${number}`;
  const others = {
    issue: `${url}/issues/${number}`,
    comments: `${url}/issues/${number}/comments`,
    review_comments: `${url}/pulls/${number}/comments`,
    review_comment: `${url}/pulls/comments{/number}`,
    commits: `${url}/pulls/${number}/commits`,
    statuses: `${url}/statuses/${pull.head.sha}`,
  };
  const before = new Set(historyOf(repository, pull.base.sha));
  const own = historyOf(repository, pull.head.sha).filter((commit) => !before.has(commit));
  const end = (side: PullRequest["head"]) => ({
    label: `${repository.owner}:${side.ref}`,
    ...side,
    user: userView(here, repository.owner),
    repo: repositoryView(here),
  });
  return {
    url: self,
    id: idOf(repository, number),
    node_id: nodeId("PullRequest", idOf(repository, number)),
    html_url: page,
    diff_url: `${page}.diff`,
    patch_url: `${page}.patch`,
    ...Object.fromEntries(Object.entries(others).map(([name, href]) => [`${name}_url`, href])),
    number,
    state: closed_at === null ? "open" : "closed",
    title: pull.title,
    user: userView(here, pull.user),
    body: pull.body,
    ...fields("labels assignees requested_reviewers requested_teams", []),
    ...fields("milestone assignee auto_merge", null),
    ...fields("locked maintainer_can_modify", false),
    draft: pull.draft,
    created_at,
    updated_at: [created_at, ...comments.map((comment) => comment.created_at), closed_at ?? created_at].sort().at(-1),
    closed_at,
    merged_at: merged?.at ?? null,
    merge_commit_sha: merged?.sha ?? null,
    head: end(pull.head),
    base: end(pull.base),
    _links: Object.fromEntries(Object.entries({ self, html: page, ...others }).map(([name, href]) => [name, { href }])),
    author_association: "COLLABORATOR",
    merged: merged !== undefined,
    mergeable: closed_at === null ? true : null,
    mergeable_state: closed_at === null ? "clean" : "unknown",
    merged_by: merged === undefined ? null : userView(here, merged.by),
    comments: comments.length,
    review_comments: 0,
    commits: own.length,
    ...changedLines(own),
  };
}

function commentView(here: ViewedRepository, number: string, comment: Comment) {
  const { repository, url, page } = here;
  const { id, user, body, created_at, updated_at = created_at } = comment;
  const isPull = repository.pulls.some((pull) => String(pull.number) === number);
  return {
    url: `${url}/issues/comments/${id}`,
    html_url: `${page}/${isPull ? "pull" : "issues"}/${number}#issuecomment-${id}`,
    issue_url: `${url}/issues/${number}`,
    id,
    node_id: nodeId("IssueComment", id),
    user: userView(here, user),
    created_at,
    updated_at,
    body,
    author_association: "COLLABORATOR",
  };
}

function releaseView(here: ViewedRepository, release: Release) {
  const { id, author, tag_name, created_at, ...stated } = release;
  const url = `${here.url}/releases/${id}`;
  return {
    url,
    html_url: `${here.page}/releases/tag/${tag_name}`,
    assets_url: `${url}/assets`,
    upload_url: `${url}/assets{?name,label}`,
    tarball_url: `${here.url}/tarball/${tag_name}`,
    zipball_url: `${here.url}/zipball/${tag_name}`,
    id,
    node_id: nodeId("Release", id),
    tag_name,
    target_commitish: here.repository.default_branch,
    ...stated,
    created_at,
    published_at: release.draft ? null : created_at,
    author: userView(here, author),
    assets: [],
  };
}

/** Returns the id of a pull request: numbers are unique in a repository, ids across all repositories. */
function idOf({ id }: HostedRepository, number: number): number {
  return id * 100_000 + number;
}
