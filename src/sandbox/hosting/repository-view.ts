import { isAdmin } from "../accounts.ts";
import { committed } from "./commit-view.ts";
import { fields, nodeId, userView, type ViewedRepository } from "./views.ts";

/** Names of a repository's URLs that end in that name: the field is `<name>_url`. */
const plainEnds =
  "contributors deployments downloads events forks hooks languages merges stargazers subscribers subscription tags teams";

/** The ends of all a repository's URLs, by name. */
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
  git_commits: "/git/commits{/sha}",
  git_refs: "/git/refs{/sha}",
  git_tags: "/git/tags{/sha}",
  issue_comment: "/issues/comments{/number}",
  issue_events: "/issues/events{/number}",
  issues: "/issues{/number}",
  keys: "/keys{/key_id}",
  labels: "/labels{/name}",
  milestones: "/milestones{/number}",
  notifications: "/notifications{?since,all,participating}",
  pulls: "/pulls{/number}",
  releases: "/releases{/id}",
  statuses: "/statuses/{sha}",
  trees: "/git/trees{/sha}",
  ...Object.fromEntries(plainEnds.split(" ").map((name) => [name, `/${name}`])),
};

/** Returns a repository as the caller sees it. Only administrators have more than read permission. */
export function repositoryView(here: ViewedRepository) {
  const { repository, url, page } = here;
  const { id, owner, name, pulls } = repository;
  const { host } = new URL(url);
  const isOpen = pulls.filter(({ closed_at, merged }) => closed_at === undefined && merged === undefined);
  const changed = repository.commits.map(committed).sort();
  return {
    id,
    node_id: nodeId("Repository", id),
    name,
    full_name: `${owner}/${name}`,
    owner: userView(here, owner),
    private: repository.private,
    visibility: repository.private ? "private" : "public",
    html_url: page,
    description: repository.description,
    url,
    ...Object.fromEntries(Object.entries(ends).map(([field, end]) => [`${field}_url`, `${url}${end}`])),
    git_url: `git://${host}/${owner}/${name}.git`,
    ssh_url: `git@${host}:${owner}/${name}.git`,
    clone_url: `${page}.git`,
    svn_url: page,
    topics: [],
    ...fields("mirror_url homepage language license", null),
    ...fields("forks forks_count stargazers_count watchers watchers_count", 0),
    ...fields("has_issues has_downloads", true),
    ...fields("fork is_template archived disabled has_projects has_wiki has_pages has_discussions", false),
    size: repository.commits.length,
    ...fields("open_issues open_issues_count", isOpen.length),
    default_branch: repository.default_branch,
    created_at: repository.created_at,
    ...fields("pushed_at updated_at", changed.at(-1) ?? repository.created_at),
    permissions: { ...fields("admin maintain push triage", isAdmin(here.account)), pull: true },
  };
}
