import { hash } from "node:crypto";
import { own } from "../../core/text/json.ts";
import type { Commit, HostedRepository, Person } from "./state.ts";
import { nodeId, userView, type ViewedRepository } from "./views.ts";

/** The minimum length of an abbreviated SHA. */
const shortest = 7;

/** Finds the commit for a branch name, a reference, or a SHA, full or abbreviated. */
export function findCommit({ branches, commits }: HostedRepository, ref: string): Commit | undefined {
  const name = ref.replace(/^(refs\/)?heads\//, "");
  const sha = own(branches, name)?.sha;
  if (sha !== undefined) return commits.find((commit) => commit.sha === sha);
  const matches = ref.length < shortest ? [] : commits.filter((commit) => commit.sha.startsWith(ref.toLowerCase()));
  return matches.length === 1 ? matches[0] : undefined;
}

/** Returns the commits that can be reached from one, the newest first. */
export function historyOf({ commits }: HostedRepository, from: string): readonly Commit[] {
  const bySha = new Map(commits.map((commit) => [commit.sha, commit]));
  const reached = new Set<Commit>();
  const waiting = [from];
  for (let sha = waiting.pop(); sha !== undefined; sha = waiting.pop()) {
    const commit = bySha.get(sha);
    if (commit === undefined || reached.has(commit)) continue;
    reached.add(commit);
    waiting.push(...commit.parents);
  }
  return [...reached].sort((a, b) => Date.parse(committed(b)) - Date.parse(committed(a)));
}

/** Returns when a commit was made. */
export function committed({ committer, author }: Commit): string {
  return (committer ?? author).date;
}

/** Returns a commit as shown in lists. */
export function commitView(here: ViewedRepository, commit: Commit) {
  const { sha, author, committer = author, message } = commit;
  const { repository, url, page } = here;
  const tree = treeOf(commit);
  return {
    url: `${url}/commits/${sha}`,
    sha,
    node_id: nodeId("Commit", `${repository.id}:${sha}`),
    html_url: `${page}/commit/${sha}`,
    comments_url: `${url}/commits/${sha}/comments`,
    commit: {
      url: `${url}/git/commits/${sha}`,
      author: { ...personView(author), date: author.date },
      committer: { ...personView(committer), date: committer.date },
      message,
      tree: { url: `${url}/git/trees/${tree}`, sha: tree },
      comment_count: 0,
      verification: { verified: false, reason: "unsigned", signature: null, payload: null, verified_at: null },
    },
    author: author.login === undefined ? null : userView(here, author.login),
    committer: committer.login === undefined ? null : userView(here, committer.login),
    parents: commit.parents.map((parent) => ({
      url: `${url}/commits/${parent}`,
      html_url: `${page}/commit/${parent}`,
      sha: parent,
    })),
  };
}

export function wholeCommitView(here: ViewedRepository, commit: Commit) {
  const { url, page } = here;
  const { additions, deletions } = changedLines([commit]);
  return {
    ...commitView(here, commit),
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
    author: personView(author),
    committer: personView(committer),
  };
}

function personView({ name, email }: Person) {
  return { name, email };
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
