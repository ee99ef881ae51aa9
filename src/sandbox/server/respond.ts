import { createHash } from "node:crypto";
import type { Effect } from "../../core/operation.ts";
import type { Content, Reply, ServiceRequest } from "../exchange.ts";
import type { Match } from "../route.ts";
import { standIns } from "../services.ts";
import type { StandIn } from "../stand-in.ts";
import { SandboxRole, type World } from "../world.ts";

/** The most bytes of a request's body, unless the body is a file to store. */
const bodyLimit = 10 * 1024 * 1024;

/** A request as it came over the wire. */
export interface Received extends Pick<ServiceRequest, "method" | "headers" | "content" | "now"> {
  /** Path and query. */
  readonly url: string;
  /** The sandbox's URL, without a trailing slash. */
  readonly origin: string;
}

/**
 * One request as it was received. `path` is raw and has the query arguments that the operation knows. Headers, bodies
 * and other arguments could contain a secret and are not kept. A request that no row answers has no operation.
 */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly service?: SandboxRole;
  readonly operation?: string;
  readonly effect?: Effect;
  readonly status: number;
}

/** The results of a request: its answer, its record, and the world afterwards. */
export interface Responded {
  readonly reply: Reply;
  readonly record: RecordedRequest;
  readonly world: World;
}

/** Answers a request to one of the services. Pure: the world in the result is the same object if nothing changed. */
export function respond({ method, url, headers, content, now, origin }: Received, world: World): Responded {
  const [pathname = "/", search = ""] = url.split("?", 2);
  const [, name = ""] = pathname.split("/", 2);
  const role = SandboxRole.safeParse(name).data;
  if (role === undefined) {
    const reply = {
      status: 404,
      headers: { "content-type": "text/plain" },
      body: `The sandbox has no service ${name}\n`,
    };
    return { reply, record: { method, path: pathname, status: 404 }, world };
  }
  const service: StandIn = standIns[role];
  const path = pathname.slice(role.length + 1) || "/";
  const query = new URLSearchParams(search);
  const { reply, match, state } = service.serve({
    method,
    path,
    query,
    headers,
    body: content.bytes?.toString("utf8") ?? "",
    content,
    base: `${origin}/${role}`,
    now,
    state: world[role],
    accounts: world.accounts,
  });
  const record = {
    method,
    path: recordedPath(path, query, match),
    service: role,
    ...(match === undefined ? {} : { operation: match.name, effect: match.operation.effect }),
    status: reply.status,
  };
  return { reply, record, world: state === world[role] ? world : { ...world, [role]: state } };
}

/** Reads a body to its end, so that the answer arrives, but keeps no more of it than the limit. */
export async function readContent(body: AsyncIterable<Uint8Array>): Promise<Content> {
  const chunks: Uint8Array[] = [];
  const [md5, sha1, sha256] = [createHash("md5"), createHash("sha1"), createHash("sha256")];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    md5.update(chunk);
    sha1.update(chunk);
    sha256.update(chunk);
    if (size <= bodyLimit) chunks.push(chunk);
  }
  return {
    size,
    md5: md5.digest("hex"),
    sha1: sha1.digest("hex"),
    sha256: sha256.digest("hex"),
    bytes: size > bodyLimit ? undefined : Buffer.concat(chunks),
  };
}

function recordedPath(path: string, query: URLSearchParams, match: Match | undefined): string {
  const { query: taken = [], operation } = match ?? {};
  const names = [...taken, ...(operation?.body === "none" ? Object.keys(operation.args.shape) : [])];
  const known = [...query].filter(([name]) => names.includes(name));
  return known.length === 0 ? path : `${path}?${new URLSearchParams(known)}`;
}
