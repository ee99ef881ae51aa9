import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Sink } from "../../../src/core/sink.ts";
import { defaultWorld } from "../../../src/sandbox/default-world.ts";
import type { Lab } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";
import { liveTokens } from "../../support/tokens.ts";

export const old = {
  token_id: "old",
  username: "admin",
  scope: "applied-permissions/user",
  description: "deploy",
  issued: "2026-01-01T00:00:00.000Z",
  expires_in: 0,
  refreshable: false,
};

/** A world without the token, or with one that is not as declared. */
export function worldWith(state: "nothing" | "an old token") {
  const world = defaultWorld();
  return { ...world, artifacts: { ...world.artifacts, tokens: state === "nothing" ? [] : [old] } };
}

export const manifest = (deliver: Sink) =>
  document("AccessToken", { description: "deploy", scope: "applied-permissions/admin", deliver });
export const toFile = manifest({ file: "deploy" });
export const held = (lab: Lab) => readFileSync(join(lab.folder, "deploy"), "utf8");

/** A world in which a token of the tracker or the wiki has another lifetime than declared, or does not exist. */
export function pluginWorld(role: "tracker" | "wiki", state: "nothing" | "an old token", givesId: boolean) {
  const world = defaultWorld();
  const day = 86_400_000;
  const stale = { id: 5, user: "admin", description: "deploy", created: Date.now() - day, lastAccessed: 0, scope: 0 };
  const tokens = [{ ...stale, validUntil: Date.now() + 300 * day, secret: "stale" }];
  const tokenPlugin = { ...world[role].tokenPlugin, givesId, tokens: state === "nothing" ? [] : tokens };
  return { ...world, [role]: { ...world[role], tokenPlugin } };
}

export const personal = (service: string, deliver: Sink) =>
  document("PersonalToken", { description: "deploy", validFor: 3, deliver }, { service });

/** The same rotation on each service; the tracker's plugin does not return the id of a new token. */
export const services = {
  artifacts: { world: worldWith, manifest: toFile },
  tracker: {
    world: (state: "nothing" | "an old token") => pluginWorld("tracker", state, false),
    manifest: personal("tracker", { file: "deploy" }),
  },
  wiki: {
    world: (state: "nothing" | "an old token") => pluginWorld("wiki", state, true),
    manifest: personal("wiki", { file: "deploy" }),
  },
} as const;
export const live = (lab: Lab, role: keyof typeof services = "artifacts") =>
  liveTokens(lab.sandbox.state(), role, "deploy");
