import { own } from "../../core/text/json.ts";
import type { Commit, HostedRepository } from "./state.ts";

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
  return [...reached].sort((a, b) => (committed(a) < committed(b) ? 1 : -1));
}

/** Returns when a commit was made. */
export function committed({ committer, author }: Commit): string {
  return (committer ?? author).date;
}
