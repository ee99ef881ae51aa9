import { expect } from "vitest";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { type Answer, ask } from "../asking.ts";

/** The path of the repository with the most contents. */
export const website = "/repos/meridian-kites/website";

/** Sends a request as the account with a secret; anonymously if the secret is empty. */
export function hosting(sandbox: Sandbox, path: string, init: RequestInit = {}, secret = "secret"): Promise<Answer> {
  const headers = new Headers(init.headers);
  if (secret !== "") headers.set("authorization", `Bearer ${secret}`);
  return ask(`${sandbox.services.hosting.url}${path}`, { ...init, headers });
}

export function post(sandbox: Sandbox, path: string, body: unknown, secret?: string): Promise<Answer> {
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  return hosting(sandbox, path, init, secret);
}

/** Returns the JSON of an answer, which must be a success. */
export async function read(sandbox: Sandbox, path: string, secret?: string) {
  const { status, text } = await hosting(sandbox, path, {}, secret);
  expect(status).toBe(200);
  return JSON.parse(text);
}

/** Returns the SHA at the tip of the main branch. */
export function tipOf(sandbox: Sandbox): string {
  return sandbox.state().hosting.repositories[0]?.branches.main?.sha ?? "";
}
