import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { World } from "../../src/sandbox/world.ts";

/** A live token of a sandbox. */
interface LiveToken {
  readonly description: string;
  /** All that anybody could sign in with. */
  readonly texts: readonly string[];
}

/** The tokens of a service whose description begins so. */
export function liveTokens(world: World, role: "artifacts" | "tracker" | "wiki", start: string): readonly LiveToken[] {
  const tokens =
    role === "artifacts"
      ? world.artifacts.tokens.map(({ token_id, description = "" }) => ({ description, texts: textsOf(token_id) }))
      : world[role].tokenPlugin.tokens.map(({ description, secret }) => ({ description, texts: [secret] }));
  return tokens.filter(({ description }) => description.startsWith(start));
}

/** The access token and the reference token that the sandbox derives from an id. */
function textsOf(id: string): readonly string[] {
  const digest = (text: string) => createHash("sha256").update(text).digest("hex");
  return [`access-${digest(`access ${id}`)}`, `ref-${digest(`reference ${id}`).slice(0, 40)}`];
}

/** What must look like no token of the sandbox that was ever made: the access and reference tokens are of this form. */
export const tokenText = /access-[0-9a-f]{16}|ref-[0-9a-f]{16}/;

/** Every file below a folder with its content, hidden ones too. */
export function filesBelow(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((path) => [path.slice(folder.length + 1), readFileSync(path, "utf8")]),
  );
}

/** Exactly one token is left, and the text is that token's. */
export function expectOneHeld(world: World, role: "artifacts" | "tracker" | "wiki", start: string, text: string): void {
  const live = liveTokens(world, role, start);
  expect(live.map(({ description }) => description)).toHaveLength(1);
  expect(live[0]?.texts).toContain(text);
}
