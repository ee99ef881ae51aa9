import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Metadata } from "../../../../src/core/resource.ts";
import { defaultWorld } from "../../../../src/sandbox/default-world.ts";
import { World } from "../../../../src/sandbox/world.ts";
import { type Lab, openLab } from "../../../support/lab.ts";
import { document } from "../../../support/manifest.ts";
import { liveTokens } from "../../../support/tokens.ts";

export const now = new Date("2026-11-21T12:00:00.000Z");
const deliver = { file: "secrets/deploy" };

export function token(spec: Readonly<Record<string, unknown>> = {}, metadata: Partial<Metadata> = {}): string {
  return document("AccessToken", { description: "deploy", deliver, ...spec }, metadata);
}

type Issued = readonly [description: string, daysAgo: number];

/** A world at `now` with tokens that live 90 days, each issued the given number of days ago. */
export function worldWith(...tokens: readonly Issued[]): World {
  const world = defaultWorld();
  const stored = tokens.map(([description, daysAgo], index) => ({
    token_id: `id-${index}`,
    username: "admin",
    scope: "applied-permissions/user",
    description,
    issued: new Date(now.getTime() - daysAgo * 86_400_000).toISOString(),
    expires_in: 90 * 86_400,
  }));
  return World.parse({ ...world, artifacts: { ...world.artifacts, now: now.toISOString(), tokens: stored } });
}

export const open = (...tokens: readonly Issued[]) => openLab({ world: worldWith(...tokens), now });

export const held = (lab: Lab, file = "secrets/deploy") => readFileSync(join(lab.folder, file), "utf8");
export const live = (lab: Lab) =>
  liveTokens(lab.sandbox.state(), "artifacts", "").map(({ description }) => description);

export function results(report: Awaited<ReturnType<Lab["apply"]>>) {
  return report.outcomes.map(({ result }) => result);
}
