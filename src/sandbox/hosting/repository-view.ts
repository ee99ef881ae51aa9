import { isAdmin } from "../accounts.ts";
import type { Repository } from "./state.ts";
import { nodeId, userView, type Viewing } from "./views.ts";

/** The URLs that a repository carries: the end of each, by its field without `_url`. */
const ends = {
  archive: "/{archive_format}{/ref}",
  assignees: "/assignees{/user}",
  blobs: "/git/blobs{/sha}",
  branches: "/branches{/branch}",
  collaborators: "/collaborators{/collaborator}",
  comments: "/comments{/number}",
  commits: "/commits{/sha}",
  compare: "/compare/{base}...{head}",
  contents: "/contents/{+path}",
  contributors: "/contributors",
  deployments: "/deployments",
  downloads: "/downloads",
  events: "/events",
  forks: "/forks",
  git_commits: "/git/commits{/sha}",
  git_refs: "/git/refs{/sha}",
  git_tags: "/git/tags{/sha}",
  hooks: "/hooks",
  issue_comment: "/issues/comments{/number}",
  issue_events: "/issues/events{/number}",
  issues: "/issues{/number}",
  keys: "/keys{/key_id}",
  labels: "/labels{/name}",
  languages: "/languages",
  merges: "/merges",
  milestones: "/milestones{/number}",
  notifications: "/notifications{?since,all,participating}",
  pulls: "/pulls{/number}",
  releases: "/releases{/id}",
  stargazers: "/stargazers",
  statuses: "/statuses/{sha}",
  subscribers: "/subscribers",
  subscription: "/subscription",
  tags: "/tags",
  teams: "/teams",
  trees: "/git/trees{/sha}",
};

/** A repository's own URL. */
export function repositoryUrl(base: string, { owner, name }: Repository): string {
  return `${base}/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
}

/** Where people look at a repository. */
export function pageUrl(base: string, { owner, name }: Repository): string {
  return `${base}/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
}

/** A repository: only administrators may do more than read. */
export function repositoryView(viewing: Viewing, repository: Repository) {
  const { base } = viewing;
  const { id, owner, name, pulls } = repository;
  const url = repositoryUrl(base, repository);
  const page = pageUrl(base, repository);
  const { host } = new URL(base);
  const isOpen = pulls.filter(({ closed_at, merged }) => closed_at === undefined && merged === undefined);
  const changed = repository.commits.map(({ committer, author }) => (committer ?? author).date).sort();
  const pushed = changed.at(-1) ?? repository.created_at;
  const writes = isAdmin(viewing.account);
  return {
    id,
    node_id: nodeId("Repository", id),
    name,
    full_name: `${owner}/${name}`,
    owner: userView(viewing, owner),
    private: repository.private,
    visibility: repository.private ? "private" : "public",
    html_url: page,
    description: repository.description,
    fork: false,
    url,
    ...Object.fromEntries(Object.entries(ends).map(([field, end]) => [`${field}_url`, `${url}${end}`])),
    git_url: `git://${host}/${owner}/${name}.git`,
    ssh_url: `git@${host}:${owner}/${name}.git`,
    clone_url: `${page}.git`,
    svn_url: page,
    mirror_url: null,
    homepage: null,
    language: null,
    license: null,
    topics: [],
    forks: 0,
    forks_count: 0,
    stargazers_count: 0,
    watchers: 0,
    watchers_count: 0,
    size: repository.commits.length,
    open_issues: isOpen.length,
    open_issues_count: isOpen.length,
    default_branch: repository.default_branch,
    is_template: false,
    has_issues: true,
    has_projects: false,
    has_wiki: false,
    has_pages: false,
    has_downloads: true,
    has_discussions: false,
    archived: false,
    disabled: false,
    created_at: repository.created_at,
    pushed_at: pushed,
    updated_at: pushed,
    permissions: { admin: writes, maintain: writes, push: writes, triage: writes, pull: true },
  };
}
