import type { Answers } from "../exchange.ts";
import { Refusal } from "../refusal.ts";
import { requireAccount } from "./access.ts";
import type { HostingState } from "./state.ts";
import { fields, userView } from "./views.ts";

const text = { "content-type": "text/plain;charset=utf-8" };

/** The caller, and the service itself. */
export const serverAnswers = {
  getUser(asked) {
    const { username, name } = requireAccount(asked);
    const own = asked.state.repositories.filter(({ owner }) => owner === username);
    const isPrivate = own.filter((repository) => repository.private);
    return {
      body: {
        ...userView(asked, username),
        user_view_type: "private",
        name,
        blog: "",
        two_factor_authentication: true,
        public_repos: own.length - isPrivate.length,
        ...fields("total_private_repos owned_private_repos", isPrivate.length),
        ...fields("company location email hireable bio", null),
        ...fields("public_gists private_gists followers following disk_usage collaborators", 0),
        ...fields("created_at updated_at", "2025-01-01T00:00:00Z"),
      },
    };
  },

  getMeta: ({ state: { version, sshKeys } }) => ({
    body: { verifiable_password_authentication: false, ssh_keys: sshKeys, installed_version: version },
  }),

  listEmojis: ({ state, base }) => ({
    body: Object.fromEntries(
      state.emojis.map((name) => [name, `${base}/images/emojis/${encodeURIComponent(name)}.png`]),
    ),
  }),

  getZen: ({ state }) => ({ headers: text, body: state.zen }),

  getMascot({ state, params, query }) {
    if (params.mascot !== "octocat") throw new Refusal(404);
    return {
      headers: { "content-type": "application/octocat-stream" },
      body: `<>---<  ${query.get("s") ?? state.zen} |\n`,
    };
  },

  getRateLimit({ state }) {
    const { limit, used, reset } = state.rateLimit;
    const core = { limit, used, remaining: Math.max(0, limit - used), reset };
    const search = { limit: 30, used: 0, remaining: 30, reset };
    const unused = { ...core, used: 0, remaining: limit };
    return { body: { resources: { core, search, graphql: unused, integration_manifest: unused }, rate: core } };
  },
} satisfies Answers<HostingState>;
