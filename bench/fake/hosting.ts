/**
 * A code hosting service for benchmarks, in a process of its own: `node bench/fake/hosting.ts [options]`. It knows the
 * workflow permissions of every repository, answers after a fixed latency, and counts.
 *
 * Prints `{"port": …}` once it listens. Routes, also under `/api/v3`:
 *
 * - `GET` and `PUT /repos/{org}/{repo}/actions/permissions`, `GET /repos/{org}/{repo}`, `GET /user`, `GET /meta`, `GET /rate_limit`
 * - `GET /_counts`: requests by method and status, and how many were under way at once at most
 * - `POST /_reset`: counts from zero; with `?state` also forgets what was written
 */

import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    /** Milliseconds that every answer takes. */
    latency: { type: "string", default: "0" },
    /** Whether answers carry entity tags. */
    etags: { type: "boolean", default: false },
    /** Whether a repository that nobody wrote to is as `writeWorkspace` declares it. */
    declared: { type: "boolean", default: false },
    /** Requests that are left of the quota. */
    quota: { type: "string", default: "1000000" },
    /** Requests that are taken at once; more are refused with 429. */
    most: { type: "string", default: "100000" },
    port: { type: "string", default: "0" },
  },
});
const latency = Number(values.latency);
const most = Number(values.most);
const permissions = new Map<string, string>();
let remaining = Number(values.quota);
let [underWay, greatest] = [0, 0];
let counts: Record<string, number> = {};

const initial = JSON.stringify(
  values.declared ? { enabled: true, allowed_actions: "selected", sha_pinning_required: false } : { enabled: false },
);

interface Reply {
  readonly status: number;
  readonly body?: string;
}

function repository(org: string, repo: string): object {
  return {
    id: createHash("sha1").update(`${org}/${repo}`).digest().readUInt32BE(0),
    node_id: `R_${org}_${repo}`,
    name: repo,
    full_name: `${org}/${repo}`,
    owner: { login: org, id: 1, type: "Organization" },
    private: false,
    visibility: "public",
    default_branch: "main",
    permissions: { admin: true, push: true, pull: true },
  };
}

function reply(method: string, path: string, body: string): Reply {
  const [, org = "", repo = "", rest = ""] = /^\/repos\/([^/]+)\/([^/]+)(\/.*)?$/.exec(path) ?? [];
  if (rest === "/actions/permissions" && method === "GET")
    return { status: 200, body: permissions.get(`${org}/${repo}`) ?? initial };
  if (rest === "/actions/permissions" && method === "PUT") {
    const { enabled, allowed_actions = "all", sha_pinning_required = false } = JSON.parse(body);
    permissions.set(
      `${org}/${repo}`,
      JSON.stringify(enabled ? { enabled, allowed_actions, sha_pinning_required } : { enabled }),
    );
    return { status: 204 };
  }
  if (repo !== "" && rest === "" && method === "GET")
    return { status: 200, body: JSON.stringify(repository(org, repo)) };
  if (path === "/user") return { status: 200, body: JSON.stringify({ login: "admin", id: 1, type: "User" }) };
  if (path === "/meta") return { status: 200, body: JSON.stringify({ verifiable_password_authentication: false }) };
  if (path === "/rate_limit") {
    const core = { limit: 1_000_000, remaining, reset: 4_102_444_800, used: 1_000_000 - remaining };
    return { status: 200, body: JSON.stringify({ resources: { core }, rate: core }) };
  }
  return { status: 404, body: JSON.stringify({ message: "Not Found" }) };
}

function headersOf(status: number, etag: string | undefined): Readonly<Record<string, string>> {
  return {
    ...(status === 200 || status === 404 ? { "content-type": "application/json; charset=utf-8" } : {}),
    ...(etag !== undefined ? { etag, "cache-control": "private, max-age=60" } : {}),
    "x-ratelimit-limit": "1000000",
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset": "4102444800",
  };
}

/** The answer to an operation; 429 if too many are under way. */
function answerTo(method: string, path: string, body: string, isRefused: boolean): Reply {
  if (isRefused) return { status: 429, body: JSON.stringify({ message: "Too many requests at once" }) };
  return reply(method, path, body);
}

const server = createServer((request, response) => {
  const [target = "", query] = (request.url ?? "").replace(/^\/api\/v3/, "").split("?");
  if (target === "/_counts") {
    response.end(JSON.stringify({ counts, greatest, remaining }));
    return;
  }
  if (target === "/_reset") {
    counts = {};
    greatest = 0;
    if (query === "state") permissions.clear();
    response.end();
    return;
  }
  underWay++;
  greatest = Math.max(greatest, underWay);
  const isRefused = underWay > most;
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const answer = () => {
      underWay--;
      const method = request.method ?? "";
      const { status, body = "" } = answerTo(method, target, Buffer.concat(chunks).toString("utf8"), isRefused);
      const etag = values.etags && status === 200 ? `"${createHash("sha1").update(body).digest("hex")}"` : undefined;
      const isKnown = etag !== undefined && request.headers["if-none-match"] === etag;
      const sent = isKnown ? 304 : status;
      if (!isKnown) remaining--;
      counts[`${method} ${sent}`] = (counts[`${method} ${sent}`] ?? 0) + 1;
      response.writeHead(sent, headersOf(sent, etag));
      response.end(isKnown || status === 204 ? undefined : body);
    };
    if (latency > 0) setTimeout(answer, latency);
    else answer();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(Number(values.port), "127.0.0.1", () => {
  const address = server.address();
  console.log(JSON.stringify({ port: typeof address === "object" ? address?.port : undefined }));
});
