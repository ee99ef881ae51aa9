import { hash } from "node:crypto";
import { hostingOperations } from "../../clients/hosting/operations.ts";
import { authorized, known } from "../accounts.ts";
import type { Answers } from "../exchange.ts";
import { Refusal } from "../refusal.ts";
import { standIn } from "../stand-in.ts";
import { requireAccount } from "./access.ts";
import { commitAnswers } from "./commits.ts";
import { hostingContents } from "./default-contents.ts";
import { pullAnswers } from "./pulls.ts";
import { repositoryAnswers } from "./repositories.ts";
import { logArchive, runAnswers } from "./runs.ts";
import { HostingState } from "./state.ts";
import { fields, userView } from "./views.ts";

const text = { "content-type": "text/plain;charset=utf-8" };

/** The caller, and the service itself. */
const serverAnswers = {
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

const documentation_url = "https://docs.example.com/rest";
const versions: readonly string[] = ["2022-11-28", "2026-03-10"];
const jsonType = { "content-type": "application/json; charset=utf-8" };

/** Clients send slashes in a branch's name raw or encoded. @see docs/facts.md, hosting: slashes in a branch's name */
const nested = { branch: "/", ref: "/", sha: "/" };

/** Clients that treat `heads/main` as one argument encode its slash. */
const wholeRef = { ...hostingOperations.getBranchRef, nested, path: "/repos/{owner}/{repo}/git/ref/{ref}" };

/** @see docs/facts.md, hosting: older path */
const olderStatuses = { ...hostingOperations.listCommitStatuses, nested, path: "/repos/{owner}/{repo}/statuses/{ref}" };

/** The code hosting service (GitHub). @see docs/facts.md, hosting */
export const hostingStandIn = standIn({
  state: HostingState,
  contents: hostingContents,
  operations: hostingOperations,
  // A commit's files are paginated.
  rowOf: (row) => ({ ...row, nested, query: row === hostingOperations.getCommit ? ["page"] : [] }),
  otherOperations: { ...logArchive, getBranchRef: wholeRef, listCommitStatuses: olderStatuses },
  answers: { ...serverAnswers, ...repositoryAnswers, ...commitAnswers, ...pullAnswers, ...runAnswers },
  signIn: "token",

  identify({ accounts, headers, path, state }) {
    if (!headers["user-agent"])
      throw new Refusal(
        403,
        "Request forbidden by administrative rules. Please make sure your request has a User-Agent header",
      );
    const version = headers["x-github-api-version"] ?? headers["x-vendor-api-version"];
    if (version !== undefined && !versions.includes(String(version)))
      throw new Refusal(400, `API version ${version} is not supported: use one of ${versions.join(", ")}`);
    const { used, limit } = state.rateLimit;
    if (used >= limit && path !== "/rate_limit") throw new Refusal(403, "API rate limit exceeded");
    if (headers.authorization === undefined) return undefined;
    return known(authorized(accounts, headers.authorization, ["bearer", "token"]), "Bad credentials");
  },

  /** The secondary limit: writes should be a second apart. @see docs/facts.md, hosting */
  before({ state: { rateLimit } }, { effect }) {
    const { tooFast } = rateLimit;
    if (tooFast === 0 || effect === "read") return undefined;
    const message = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.";
    return {
      status: 403,
      headers: { "retry-after": "1" },
      body: { message, documentation_url },
      changes: { rateLimit: { ...rateLimit, tooFast: tooFast - 1 } },
    };
  },

  /** Sends strings and bytes with the answer's own content type, anything else as JSON. */
  encode(answered, { method, headers, state }) {
    const content = contentOf(answered.body);
    const { status = 200 } = answered;
    const own = { ...commonHeaders(state), ...answered.headers };
    const typed = content.length === 0 ? own : { ...jsonType, ...own };
    if (status !== 200 || (method !== "GET" && method !== "HEAD")) return { status, headers: typed, body: content };
    const etag = `"${hash("sha256", content)}"`;
    const known = (headers["if-none-match"] ?? "").split(/,\s*/).map((tag) => tag.replace(/^W\//, ""));
    if (known.includes(etag) || known.includes("*")) return { status: 304, headers: { ...own, etag }, body: "" };
    return { status, headers: { ...typed, etag }, body: content };
  },

  refuse: ({ status, message, headers, details }, { state }) => ({
    status,
    headers: { ...commonHeaders(state), ...jsonType, ...headers },
    body: JSON.stringify({ message, errors: details, documentation_url, status: String(status) }),
  }),
});

function contentOf(body: unknown): string | Uint8Array {
  if (body === undefined) return "";
  return typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
}

function commonHeaders({ rateLimit: { limit, used, reset } }: HostingState): Readonly<Record<string, string>> {
  return {
    "x-github-api-version-selected": versions[0] ?? "",
    "x-ratelimit-limit": String(limit),
    "x-ratelimit-remaining": String(Math.max(0, limit - used)),
    "x-ratelimit-reset": String(reset),
    "x-ratelimit-resource": "core",
    "x-ratelimit-used": String(used),
  };
}
