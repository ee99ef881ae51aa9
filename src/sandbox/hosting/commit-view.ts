import { hash } from "node:crypto";
import { pageUrl, repositoryUrl } from "./repository-view.ts";
import type { Commit, HostedRepository } from "./state.ts";
import { nodeId, userView, type Viewing } from "./views.ts";

/** Returns a commit as shown in lists. */
export function commitView(viewing: Viewing, repository: HostedRepository, commit: Commit) {
  const { sha, author, committer = author, message } = commit;
  const url = repositoryUrl(viewing.base, repository);
  const page = pageUrl(viewing.base, repository);
  const tree = treeOf(commit);
  return {
    url: `${url}/commits/${sha}`,
    sha,
    node_id: nodeId("Commit", `${repository.id}:${sha}`),
    html_url: `${page}/commit/${sha}`,
    comments_url: `${url}/commits/${sha}/comments`,
    commit: {
      url: `${url}/git/commits/${sha}`,
      author: { name: author.name, email: author.email, date: author.date },
      committer: { name: committer.name, email: committer.email, date: committer.date },
      message,
      tree: { url: `${url}/git/trees/${tree}`, sha: tree },
      comment_count: 0,
      verification: { verified: false, reason: "unsigned", signature: null, payload: null, verified_at: null },
    },
    author: author.login === undefined ? null : userView(viewing, author.login),
    committer: committer.login === undefined ? null : userView(viewing, committer.login),
    parents: commit.parents.map((parent) => ({
      url: `${url}/commits/${parent}`,
      html_url: `${page}/commit/${parent}`,
      sha: parent,
    })),
  };
}

/** Returns a commit with its changes. */
export function wholeCommitView(viewing: Viewing, repository: HostedRepository, commit: Commit) {
  const url = repositoryUrl(viewing.base, repository);
  const page = pageUrl(viewing.base, repository);
  const { additions, deletions } = changedLines([commit]);
  return {
    ...commitView(viewing, repository, commit),
    stats: { total: additions + deletions, additions, deletions },
    files: commit.files.map((file) => ({
      sha: hash("sha1", `${commit.sha}:${file.filename}`),
      status: "modified",
      ...file,
      changes: file.additions + file.deletions,
      blob_url: `${page}/blob/${commit.sha}/${file.filename}`,
      raw_url: `${page}/raw/${commit.sha}/${file.filename}`,
      contents_url: `${url}/contents/${file.filename}?ref=${commit.sha}`,
    })),
  };
}

/** Returns a commit as shown in runs. */
export function shortCommitView(commit: Commit) {
  const { sha, message, author, committer = author } = commit;
  return {
    id: sha,
    tree_id: treeOf(commit),
    message,
    timestamp: committer.date,
    author: { name: author.name, email: author.email },
    committer: { name: committer.name, email: committer.email },
  };
}

/** Counts the lines and files that commits change; each file counts once. */
export function changedLines(commits: readonly Commit[]) {
  const files = commits.flatMap((commit) => commit.files);
  return {
    additions: files.reduce((sum, file) => sum + file.additions, 0),
    deletions: files.reduce((sum, file) => sum + file.deletions, 0),
    changed_files: new Set(files.map(({ filename }) => filename)).size,
  };
}

function treeOf({ sha }: Commit): string {
  return hash("sha1", `tree ${sha}`);
}
