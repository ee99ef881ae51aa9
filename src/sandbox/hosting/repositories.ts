import { z } from "zod";
import type { hostingOperations } from "../../clients/hosting/operations.ts";
import type { Answer } from "../exchange.ts";
import { Refusal } from "../refusal.ts";
import {
  readInput,
  requireAccount,
  requireRepository,
  requireSettings,
  requireWritable,
  visible,
  withRepository,
} from "./access.ts";
import { historyOf } from "./history.ts";
import { listed } from "./pages.ts";
import { repositoryView } from "./repository-view.ts";
import type { Repository } from "./state.ts";
import { isOrganization, userView, type Viewing } from "./views.ts";

const PermissionsInput = z.strictObject({
  enabled: z.boolean(),
  allowed_actions: z.enum(["all", "local_only", "selected"]).default("all"),
  sha_pinning_required: z.boolean().default(false),
});

/** Repositories, who wrote them, and whether workflows may run in them. */
export const repositoryAnswers = {
  listUserRepositories(world, asked) {
    const { username } = requireAccount(asked);
    const { account, base, query } = asked;
    const wanted = ofType(query.get("type") ?? "all", username);
    const found = visible(world, account)
      .filter(wanted)
      .sort((a, b) => (fullName(a) < fullName(b) ? -1 : 1));
    return listed(asked, found, (repository) => repositoryView({ world, base }, repository, account));
  },

  listOrganizationRepositories(world, asked) {
    const { account, base, params, query } = asked;
    const organization = (params.org ?? "").toLowerCase();
    if (!isOrganization(world, organization)) throw new Refusal(404);
    const wanted = ofType(query.get("type") ?? "all", undefined);
    const found = visible(world, account)
      .filter((repository) => repository.owner.toLowerCase() === organization && wanted(repository))
      .sort((a, b) => (a.created_at === b.created_at ? b.id - a.id : a.created_at < b.created_at ? 1 : -1));
    return listed(asked, found, (repository) => repositoryView({ world, base }, repository, account));
  },

  getRepository(world, asked) {
    const repository = requireRepository(world, asked);
    const viewing = { world, base: asked.base };
    return {
      body: {
        ...repositoryView(viewing, repository, asked.account),
        ...(isOrganization(world, repository.owner) ? { organization: userView(viewing, repository.owner) } : {}),
        network_count: 0,
        subscribers_count: 0,
      },
    };
  },

  listContributors(world, asked) {
    const repository = requireRepository(world, asked);
    if (repository.commits.length === 0) return { status: 204 };
    const anonymousToo = ["1", "true"].includes(asked.query.get("anon") ?? "");
    const found = contributors({ world, base: asked.base }, repository).filter(
      ({ type }) => anonymousToo || type !== "Anonymous",
    );
    return listed(asked, found, (contributor) => contributor);
  },

  getActionsPermissions(world, asked) {
    const { id, actions } = requireSettings(world, asked);
    const { enabled, allowed_actions, sha_pinning_required } = actions;
    return {
      body: {
        enabled,
        ...(enabled ? { allowed_actions } : {}),
        ...(enabled && allowed_actions === "selected"
          ? { selected_actions_url: `${asked.base}/repositories/${id}/actions/permissions/selected-actions` }
          : {}),
        sha_pinning_required,
      },
    };
  },

  setActionsPermissions(world, asked) {
    requireSettings(world, asked);
    const { repository } = requireWritable(world, asked);
    const { enabled, ...settings } = readInput(PermissionsInput, asked);
    const actions = enabled ? { enabled, ...settings } : { ...settings, enabled, allowed_actions: "all" as const };
    return { status: 204, world: withRepository(world, repository, { actions }) };
  },
} satisfies Partial<Record<keyof typeof hostingOperations, Answer>>;

function fullName({ owner, name }: Repository): string {
  return `${owner}/${name}`;
}

/** Whether a repository is of the `type` that a list asks for; `login` is whose list it is. Nothing here is a fork. */
function ofType(type: string, login: string | undefined): (repository: Repository) => boolean {
  switch (type) {
    case "public":
      return (repository) => !repository.private;
    case "private":
      return (repository) => repository.private;
    case "owner":
      return ({ owner }) => owner === login;
    case "member":
      return ({ owner }) => owner !== login;
    case "forks":
      return () => false;
    default:
      return () => true;
  }
}

/** Who wrote the default branch, the most active first. */
function contributors(viewing: Viewing, repository: Repository) {
  const tip = repository.branches[repository.default_branch];
  const authors = (tip === undefined ? [] : historyOf(repository, tip.sha)).map(({ author }) => author);
  const byPerson = Map.groupBy(authors, ({ login, email }) => login ?? email);
  return [...byPerson.values()]
    .flatMap((commits) => commits.slice(0, 1).map((author) => ({ author, contributions: commits.length })))
    .sort((a, b) => b.contributions - a.contributions)
    .map(({ author: { login, name, email }, contributions }) =>
      login === undefined
        ? { type: "Anonymous", name, email, contributions }
        : { ...userView(viewing, login), contributions },
    );
}
