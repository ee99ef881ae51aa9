import type { Role } from "../core/resource.ts";
import { analysisStandIn } from "./analysis/stand-in.ts";
import { artifactsStandIn } from "./artifacts/stand-in.ts";
import { ciStandIn } from "./ci/stand-in.ts";
import type { StandIn } from "./exchange.ts";
import { hostingStandIn } from "./hosting/stand-in.ts";
import { reviewStandIn } from "./review/stand-in.ts";
import { trackerStandIn } from "./tracker/stand-in.ts";
import { wikiStandIn } from "./wiki/stand-in.ts";

/** The services that a sandbox has. */
export const standIns = {
  artifacts: artifactsStandIn,
  review: reviewStandIn,
  ci: ciStandIn,
  hosting: hostingStandIn,
  analysis: analysisStandIn,
  tracker: trackerStandIn,
  wiki: wikiStandIn,
} as const satisfies Partial<Record<Role, StandIn>>;

export type SandboxRole = keyof typeof standIns;

/** Whether the first segment of a path names a service. */
export function isSandboxRole(name: string): name is SandboxRole {
  return Object.hasOwn(standIns, name);
}
