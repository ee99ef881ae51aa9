import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { World } from "../../src/sandbox/world.ts";

/** A live token of a sandbox. */
interface LiveToken {
  readonly description: string;
  /** The secrets with which anyone could sign in. */
  readonly texts: readonly string[];
}

/** Returns the tokens of a service whose descriptions begin with `start`. */
export function liveTokens(world: World, role: "artifacts" | "tracker" | "wiki", start: string): readonly LiveToken[] {
  const tokens =
    role === "artifacts"
      ? world.artifacts.tokens.map(({ token_id, description = "" }) => ({ description, texts: textsOf(token_id) }))
      : world[role].tokenPlugin.tokens.map(({ description, secret }) => ({ description, texts: [secret] }));
  return tokens.filter(({ description }) => description.startsWith(start));
}

/** Returns the access token and the reference token that the sandbox derives from an id. */
function textsOf(id: string): readonly string[] {
  const digest = (text: string) => createHash("sha256").update(text).digest("hex");
  return [`access-${digest(`access ${id}`)}`, `ref-${digest(`reference ${id}`).slice(0, 40)}`];
}

/** Matches every access and reference token that the sandbox makes, to find leaks. */
export const tokenText = /access-[0-9a-f]{16}|ref-[0-9a-f]{16}/;

/** Returns every file below a folder, including hidden ones, with its content. */
export function filesBelow(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((path) => [path.slice(folder.length + 1), readFileSync(path, "utf8")]),
  );
}

/** Expects that exactly one token is left, and that the text is its secret. */
export function expectOneHeld(world: World, role: "artifacts" | "tracker" | "wiki", start: string, text: string): void {
  const live = liveTokens(world, role, start);
  expect(live.map(({ description }) => description)).toHaveLength(1);
  expect(live[0]?.texts).toContain(text);
}
