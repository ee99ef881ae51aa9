import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { World } from "../../../src/sandbox/world.ts";
import { type Answer, accounts, ask, basic, sandboxForTest } from "../asking.ts";

export const registered = "global:Registered-Users";
export const devs = "d".repeat(40);

/** Starts a sandbox with the project `a/b`, whose access rules are `access`. */
export async function reviewSandbox(access: object = {}, more: object = {}): Promise<Sandbox> {
  const groups = [
    { uuid: registered, name: "Registered Users" },
    { uuid: devs, name: "Developers", number: 7 },
    { uuid: "1".repeat(40), name: "Twins" },
    { uuid: "2".repeat(40), name: "Twins" },
  ];
  return sandboxForTest({
    world: World.parse({ accounts, review: { groups, projects: { "a/b": { access }, ...more } } }),
  });
}

/** Sends a request to the review service, by default as Ada. */
export function review(
  sandbox: Sandbox,
  path: string,
  { username = "ada", ...init }: RequestInit & { readonly username?: string } = {},
): Promise<Answer> {
  const headers = new Headers(init.headers);
  headers.set("authorization", basic(username, username.toUpperCase()));
  return ask(`${sandbox.services.review.url}${path}`, { ...init, headers });
}

/** Posts a change to the access rules of `a/b`. */
export function post(sandbox: Sandbox, body: unknown, username = "ada"): Promise<Answer> {
  return review(sandbox, "/a/projects/a%2Fb/access", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    username,
  });
}

/** Parses an answer of the review service, without its guard line. */
export function unguarded(answer: Answer): unknown {
  return JSON.parse(answer.text.slice(")]}'\n".length));
}

/** Returns the local rules of `a/b` as the service shows them. */
export async function localRules(sandbox: Sandbox): Promise<unknown> {
  const access = unguarded(await review(sandbox, "/a/projects/a%2Fb/access"));
  return access instanceof Object && "local" in access ? access.local : undefined;
}
