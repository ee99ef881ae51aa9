import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Metadata } from "../../../../src/core/resource.ts";
import { defaultWorld } from "../../../../src/sandbox/default-world.ts";
import { World } from "../../../../src/sandbox/world.ts";
import { type Lab, openLab } from "../../../support/lab.ts";
import { document } from "../../../support/manifest.ts";
import { expectOneHeld, liveTokens } from "../../../support/tokens.ts";

export const now = new Date();
export const day = 86_400_000;

export interface Stored {
  readonly description: string;
  readonly user?: string;
  /** Days until it expires. */
  readonly ends?: number;
  /** Days since its last use. */
  readonly used?: number;
}

export type Plugin = Partial<World["tracker"]["tokenPlugin"]>;

/** Tokens with a lifetime of about half a year. */
export function worldWith(role: "tracker" | "wiki", stored: readonly Stored[], plugin: Plugin = {}): World {
  const tokens = stored.map(({ description, user = "admin", ends = 100, used }, index) => ({
    id: index + 1,
    user,
    description,
    created: now.getTime() + (ends - 182) * day,
    validUntil: now.getTime() + ends * day,
    ...(used === undefined ? {} : { lastAccessed: now.getTime() - used * day }),
    secret: `secret-of-${index}`,
  }));
  return World.parse({ ...defaultWorld(), [role]: { ...defaultWorld()[role], tokenPlugin: { ...plugin, tokens } } });
}

/** The lab, the manifests and the live tokens of one of the two services. */
export function tokensOf(role: "tracker" | "wiki") {
  const open = (stored: readonly Stored[] = [], plugin: Plugin = {}, wire: "product" | "documented" = "product") =>
    openLab({ world: worldWith(role, stored, plugin), now, wire });
  const token = (spec: Readonly<Record<string, unknown>> = {}, metadata: Partial<Metadata> = {}) =>
    document(
      "PersonalToken",
      { description: "robot", deliver: { file: "robot" }, ...spec },
      {
        ...metadata,
        service: role,
      },
    );
  const live = (lab: Lab) => liveTokens(lab.sandbox.state(), role, "").map(({ description }) => description);
  const expectHeld = (lab: Lab) =>
    expectOneHeld(lab.sandbox.state(), role, "robot", readFileSync(join(lab.folder, "robot"), "utf8"));
  const results = (report: Awaited<ReturnType<Lab["apply"]>>) => report.outcomes.map(({ result }) => result);
  return { open, token, live, expectHeld, results };
}
