import { groupsBy } from "../../core/text/groups.ts";
import type { Answers, Asked } from "../exchange.ts";
import { Refusal } from "../refusal.ts";
import { choiceIn } from "../request.ts";
import {
  fullName,
  readInput,
  requireAccount,
  requireRepository,
  requireRight,
  visibleRepositories,
  withRepository,
} from "./access.ts";
import { historyOf } from "./commit-view.ts";
import { listed } from "./pages.ts";
import { repositoryView } from "./repository-view.ts";
import { ActionsSettings, type HostedRepository, type HostingState } from "./state.ts";
import { isOrganization, userView, type Viewing, viewedBy } from "./views.ts";

/** Repositories, their contributors, and whether workflows may run in them. */
export const repositoryAnswers = {
  listUserRepositories(asked) {
    const { username } = requireAccount(asked);
    const type = choiceIn(asked, "type", ["all", "owner", "public", "private", "member"]) ?? "all";
    const repositories = visibleRepositories(asked)
      .filter((repository) => types[type]?.(repository, username) ?? true)
      .sort((a, b) => (fullName(a) < fullName(b) ? -1 : 1));
    return listed(asked, repositories, (repository) => repositoryView(viewedBy(asked, repository)));
  },

  listOrganizationRepositories(asked) {
    const organization = (asked.params.org ?? "").toLowerCase();
    if (!isOrganization(asked, organization)) throw new Refusal(404);
    const type = choiceIn(asked, "type", ["all", "public", "private", "forks", "sources"]) ?? "all";
    const repositories = visibleRepositories(asked)
      .filter(({ owner }) => owner.toLowerCase() === organization)
      .filter((repository) => types[type]?.(repository) ?? true)
      .sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at) || b.id - a.id);
    return listed(asked, repositories, (repository) => repositoryView(viewedBy(asked, repository)));
  },

  getRepository(asked) {
    const here = requireRepository(asked);
    const { owner } = here.repository;
    const organization = isOrganization(asked, owner) ? userView(asked, owner) : undefined;
    return { body: { ...repositoryView(here), organization, network_count: 0, subscribers_count: 0 } };
  },

  listContributors(asked) {
    const { repository } = requireRepository(asked);
    if (repository.commits.length === 0) return { status: 204 };
    const anonymousToo = ["1", "true"].includes(asked.query.get("anon") ?? "");
    const shown = contributors(asked, repository).filter(({ type }) => anonymousToo || type !== "Anonymous");
    return listed(asked, shown, (contributor) => contributor);
  },

  getActionsPermissions(asked) {
    const { id, actions } = requireSettings(asked).repository;
    const { enabled, allowed_actions, sha_pinning_required } = actions;
    const selected_actions_url = `${asked.base}/repositories/${id}/actions/permissions/selected-actions`;
    return {
      body: {
        enabled,
        allowed_actions: enabled ? allowed_actions : undefined,
        selected_actions_url: enabled && allowed_actions === "selected" ? selected_actions_url : undefined,
        sha_pinning_required,
      },
    };
  },

  setActionsPermissions(asked) {
    requireSettings(asked);
    const here = requireRight(asked, ["admin"]);
    const settings = readInput(ActionsSettings, asked);
    const actions = settings.enabled ? settings : { ...settings, allowed_actions: "all" as const };
    return { status: 204, changes: withRepository(here, { actions }) };
  },
} satisfies Answers<HostingState>;

function requireSettings(asked: Asked<HostingState>) {
  return requireRight(asked, ["admin", "reader"], "Must have admin rights to Repository.");
}

/** Tests of whether a repository has the `type` of a list, which can be that of a login. No repository here is a fork. */
const types: Readonly<Record<string, (repository: HostedRepository, login?: string) => boolean>> = {
  public: (repository) => !repository.private,
  private: (repository) => repository.private,
  owner: ({ owner }, login) => owner === login,
  member: ({ owner }, login) => owner !== login,
  forks: () => false,
};

/** Returns the authors of the default branch, the most active first. */
function contributors(viewing: Viewing, repository: HostedRepository) {
  const tip = repository.branches[repository.default_branch];
  const authors = (tip === undefined ? [] : historyOf(repository, tip.sha)).map(({ author }) => author);
  return groupsBy(authors, ({ login, email }) => login ?? email)
    .toSorted((a, b) => b.all.length - a.all.length)
    .map(({ first: { login, name, email }, all: { length: contributions } }) =>
      login === undefined
        ? { type: "Anonymous", name, email, contributions }
        : { ...userView(viewing, login), contributions },
    );
}
