import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { World } from "../../../src/sandbox/world.ts";
import { type Answer, accounts, ask, sandboxForTest } from "../asking.ts";

const stamp = "2026-05-04T03:02:01.000Z";
/** Returns a file of three bytes. */
export const file = (modified = stamp, properties: Record<string, string[]> = {}) => ({
  created: modified,
  modified,
  file: { size: 3, sha1: "a", sha256: "b" },
  properties,
});

/** Starts a sandbox with one repository of each type and the given items, in which it is the first of June. */
export function artifactsSandbox(items = {}): Promise<Sandbox> {
  const repositories = [
    { key: "libs", type: "LOCAL" },
    { key: "far", type: "REMOTE" },
    { key: "all", type: "VIRTUAL", members: ["libs"] },
  ];
  const artifacts = { now: "2026-06-01T00:00:00.000Z", repositories, items };
  return sandboxForTest({ world: World.parse({ accounts, artifacts }) });
}

/** Sends a request to the artifact repository, by default as its administrator. */
export function send(
  sandbox: Sandbox,
  path: string,
  init: RequestInit = {},
  authorization = "Bearer ADA",
): Promise<Answer> {
  const headers = new Headers(init.headers);
  if (authorization !== "") headers.set("authorization", authorization);
  return ask(`${sandbox.services.artifacts.url}${path}`, { ...init, headers });
}

/** Posts JSON. */
export function post(sandbox: Sandbox, path: string, body: unknown): Promise<Answer> {
  const headers = { "content-type": "application/json" };
  return send(sandbox, path, { method: "POST", headers, body: JSON.stringify(body) });
}

/** Posts a query. */
export function query(sandbox: Sandbox, body: string): Promise<Answer> {
  return send(sandbox, "/api/search/aql", { method: "POST", headers: { "content-type": "text/plain" }, body });
}
