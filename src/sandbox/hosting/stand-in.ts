import { createHash } from "node:crypto";
import { hostingOperations } from "../../clients/hosting/operations.ts";
import type { OperationTable } from "../../core/operation.ts";
import { authorized } from "../accounts.ts";
import type { Answer, Answered, Reply, ServiceRequest, StandIn } from "../exchange.ts";
import { Refusal } from "../refusal.ts";
import { routesOf } from "../route.ts";
import type { World } from "../world.ts";
import { commitAnswers } from "./commits.ts";
import { pullAnswers } from "./pulls.ts";
import { repositoryAnswers } from "./repositories.ts";
import { logArchive, runAnswers } from "./runs.ts";
import { serverAnswers } from "./server.ts";

const documentation = "https://docs.example.com/rest";
const versions: readonly string[] = ["2022-11-28", "2026-03-10"];

const answers = {
  ...serverAnswers,
  ...repositoryAnswers,
  ...commitAnswers,
  ...pullAnswers,
  ...runAnswers,
} satisfies Record<keyof typeof hostingOperations | keyof typeof logArchive, Answer>;

/** Clients that take `heads/main` for one argument encode its slash. */
const wholeRef = { ...hostingOperations.getBranchRef, path: "/repos/{owner}/{repo}/git/ref/{ref}" };

/** The code hosting service (GitHub). @see docs/facts.md, hosting */
export const hostingStandIn: StandIn = {
  routes: [...routesOf(hostingOperations), ...routesOf(logArchive), ...routesOf({ getBranchRef: wholeRef })],
  answers: Object.fromEntries(
    Object.entries(answers).map(([name, answer]) => [name, isWrite(name) ? unlessTooFast(answer) : answer]),
  ),
  identify,
  encode,
  refuse,
};

function isWrite(name: string): boolean {
  const table: OperationTable = hostingOperations;
  return table[name]?.effect === "write";
}

/** The secondary limit: writes should be a second apart. @see docs/facts.md, hosting */
function unlessTooFast(answer: Answer): Answer {
  return (world, asked) => {
    const { hosting } = world;
    const { rateLimit } = hosting;
    if (rateLimit.tooFast === 0) return answer(world, asked);
    const after = { ...hosting, rateLimit: { ...rateLimit, tooFast: rateLimit.tooFast - 1 } };
    const message = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.";
    return {
      status: 403,
      headers: { "retry-after": "1" },
      body: { message, documentation_url: documentation },
      world: { ...world, hosting: after },
    };
  };
}

function identify(world: World, { headers, path }: ServiceRequest) {
  if (!headers["user-agent"])
    throw new Refusal(
      403,
      "Request forbidden by administrative rules. Please make sure your request has a User-Agent header",
    );
  const version = headers["x-github-api-version"] ?? headers["x-vendor-api-version"];
  if (version !== undefined && !versions.includes(String(version)))
    throw new Refusal(400, `API version ${version} is not supported: use one of ${versions.join(", ")}`);
  const { used, limit } = world.hosting.rateLimit;
  if (used >= limit && path !== "/rate_limit") throw new Refusal(403, "API rate limit exceeded");
  if (headers.authorization === undefined) return undefined;
  const account = authorized(world.accounts, headers.authorization, ["bearer", "token"]);
  if (account === undefined) throw new Refusal(401, "Bad credentials");
  return account;
}

/** Texts and bytes come with a type of their own; all else is JSON. */
function encode(world: World, answered: Answered, { method, headers }: ServiceRequest): Reply {
  const content = contentOf(answered.body);
  const { status = 200 } = answered;
  const own = { ...commonHeaders(world), ...answered.headers };
  const typed = content.length === 0 ? own : { ...jsonType, ...own };
  if (status !== 200 || (method !== "GET" && method !== "HEAD")) return { status, headers: typed, body: content };
  const etag = `"${createHash("sha256").update(content).digest("hex")}"`;
  const known = (headers["if-none-match"] ?? "").split(/,\s*/).map((tag) => tag.replace(/^W\//, ""));
  if (known.includes(etag) || known.includes("*")) return { status: 304, headers: { ...own, etag }, body: "" };
  return { status, headers: { ...typed, etag }, body: content };
}

function contentOf(body: unknown): string | Uint8Array {
  if (body === undefined) return "";
  return typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
}

const jsonType = { "content-type": "application/json; charset=utf-8" };

function refuse(world: World, { status, message, headers, details }: Refusal): Reply {
  return {
    status,
    headers: { ...commonHeaders(world), ...jsonType, ...headers },
    body: JSON.stringify({
      message: message || (defaultMessages[status] ?? "Server Error"),
      ...(details === undefined ? {} : { errors: details }),
      documentation_url: documentation,
      status: String(status),
    }),
  };
}

const defaultMessages: Readonly<Record<number, string>> = {
  400: "Bad Request",
  404: "Not Found",
  405: "Method Not Allowed",
  413: "Payload Too Large",
};

function commonHeaders({ hosting: { rateLimit } }: World): Record<string, string> {
  return {
    "x-github-api-version-selected": versions[0] ?? "",
    "x-ratelimit-limit": String(rateLimit.limit),
    "x-ratelimit-remaining": String(Math.max(0, rateLimit.limit - rateLimit.used)),
    "x-ratelimit-reset": String(rateLimit.reset),
    "x-ratelimit-resource": "core",
    "x-ratelimit-used": String(rateLimit.used),
  };
}
