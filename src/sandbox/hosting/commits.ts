import { z } from "zod";
import { CommitState } from "../../clients/hosting/records.ts";
import { own } from "../../core/text/json.ts";
import type { Answers, Asked } from "../exchange.ts";
import { nextId } from "../lists.ts";
import { found, foundIn, Refusal } from "../refusal.ts";
import { choiceIn } from "../request.ts";
import { created, readInput, requireRepository, requireRight, timeText, withRepository } from "./access.ts";
import { committed, commitView, findCommit, historyOf, wholeCommitView } from "./commit-view.ts";
import { listed } from "./pages.ts";
import type { Commit, HostedRepository, HostingState, Status } from "./state.ts";
import { nodeId, userView, type ViewedRepository } from "./views.ts";

/** The most statuses for one commit and context. @see docs/facts.md, hosting */
const mostStatuses = 1000;

const StatusInput = z.strictObject({
  state: CommitState,
  target_url: z
    .url({ protocol: /^https?$/ })
    .nullable()
    .default(null),
  description: z.string().max(140).nullable().default(null),
  context: z.string().default("default"),
});

/** Branches, commits and the statuses of commits. */
export const commitAnswers = {
  listBranches(asked) {
    const here = requireRepository(asked);
    const wanted = choiceIn(asked, "protected", ["true", "false"]);
    const names = Object.entries(here.repository.branches)
      .filter(([, branch]) => wanted === undefined || String(branch.protected) === wanted)
      .map(([name]) => name)
      .sort();
    return listed(asked, names, (name) => branchView(here, name));
  },

  getBranch(asked) {
    const here = requireRepository(asked);
    const { branch = "" } = asked.params;
    const commit = commitView(here, requireBranch(here.repository, branch, "Branch not found"));
    const view = branchView(here, branch);
    return { body: { ...view, commit, _links: { self: view.url, html: `${here.page}/tree/${branch}` } } };
  },

  getBranchRef(asked) {
    const { repository, url } = requireCommits(asked);
    const name = asked.params.branch ?? (asked.params.ref ?? "").replace(/^heads\//, "");
    const { sha } = requireBranch(repository, name);
    return {
      body: {
        ref: `refs/heads/${name}`,
        node_id: nodeId("Ref", `${repository.id}:refs/heads/${name}`),
        url: `${url}/git/refs/heads/${name}`,
        object: { sha, type: "commit", url: `${url}/git/commits/${sha}` },
      },
    };
  },

  listCommits(asked) {
    const here = requireCommits(asked);
    const { repository } = here;
    const start = found(findCommit(repository, asked.query.get("sha") ?? repository.default_branch));
    const commits = historyOf(repository, start.sha).filter(isWanted(asked.query));
    return listed(asked, commits, (commit) => commitView(here, commit));
  },

  getCommit(asked) {
    const here = requireCommits(asked);
    choiceIn(asked, "page", ["1"]);
    return { body: wholeCommitView(here, requireCommit(here.repository, asked.params.sha ?? "")) };
  },

  listCommitStatuses(asked) {
    const here = requireRepository(asked);
    const commit = found(findCommit(here.repository, asked.params.ref ?? ""));
    const statuses = here.repository.statuses.filter(({ sha }) => sha === commit.sha).reverse();
    return listed(asked, statuses, (status) => statusView(here, status));
  },

  createStatus(asked) {
    const here = requireRight(asked, ["admin"]);
    const { repository, account } = here;
    const input = readInput(StatusInput, asked);
    const { sha } = requireCommit(repository, asked.params.sha ?? "", ({ sha: whole }) => whole === asked.params.sha);
    const isSame = (status: Status) =>
      status.sha === sha && status.context.toLowerCase() === input.context.toLowerCase();
    if (repository.statuses.filter(isSame).length >= mostStatuses)
      throw new Refusal(422, "Validation Failed", {}, [
        {
          resource: "Status",
          code: "custom",
          message: "This SHA and context has reached the maximum number of statuses.",
        },
      ]);
    const id = nextId(asked.state.repositories.flatMap(({ statuses }) => statuses));
    const status: Status = { id, sha, ...input, creator: account.username, created_at: timeText(asked.now) };
    return created(statusView(here, status), withRepository(here, { statuses: [...repository.statuses, status] }));
  },
} satisfies Answers<HostingState>;

/** Returns the repository that a request names. Throws `Refusal` 409 for one without commits. */
function requireCommits(asked: Asked<HostingState>): ViewedRepository {
  const here = requireRepository(asked);
  if (here.repository.commits.length === 0) throw new Refusal(409, "Git Repository is empty.");
  return here;
}

/** Returns the commit at the tip of a branch. Throws `Refusal` 404 if there is no such branch. */
function requireBranch({ branches, commits }: HostedRepository, name: string, message?: string): Commit {
  const sha = own(branches, name)?.sha;
  return foundIn(commits, (commit) => commit.sha === sha, message);
}

function requireCommit(repository: HostedRepository, ref: string, accepts = (_commit: Commit) => true): Commit {
  const commit = findCommit(repository, ref);
  if (commit !== undefined && accepts(commit)) return commit;
  throw new Refusal(422, `No commit found for SHA: ${ref}`, {}, [`No commit found for SHA: ${ref}`]);
}

function branchView({ repository, url }: ViewedRepository, name: string) {
  const { sha = "", protected: isProtected = false } = repository.branches[name] ?? {};
  return {
    name,
    url: `${url}/branches/${name}`,
    commit: { sha, url: `${url}/commits/${sha}` },
    protected: isProtected,
    protection: {
      enabled: isProtected,
      required_status_checks: { enforcement_level: "off", contexts: [], checks: [] },
    },
    protection_url: `${url}/branches/${name}/protection`,
  };
}

function isWanted(query: URLSearchParams): (commit: Commit) => boolean {
  const path = query.get("path");
  const author = query.get("author");
  const since = Date.parse(query.get("since") ?? "");
  const until = Date.parse(query.get("until") ?? "");
  return (commit) => {
    const at = Date.parse(committed(commit));
    const isInside = ({ filename }: { readonly filename: string }) =>
      filename === path || filename.startsWith(`${path}/`);
    return (
      (path === null || commit.files.some(isInside)) &&
      (author === null || commit.author.login === author || commit.author.email === author) &&
      !(at < since) &&
      !(at > until)
    );
  };
}

function statusView(here: ViewedRepository, status: Status) {
  const { id, sha, creator, created_at, ...stated } = status;
  const user = userView(here, creator);
  return {
    url: `${here.url}/statuses/${sha}`,
    avatar_url: user.avatar_url,
    id,
    node_id: nodeId("Status", id),
    ...stated,
    created_at,
    updated_at: created_at,
    creator: user,
  };
}
