// Derived by scripts/generate.ts: do not edit.
import { analysisStandIn } from "./analysis/service.ts";
import { artifactsStandIn } from "./artifacts/service.ts";
import { ciStandIn } from "./ci/service.ts";
import { hostingStandIn } from "./hosting/service.ts";
import { reviewStandIn } from "./review/service.ts";
import { trackerStandIn } from "./tracker/service.ts";
import { wikiStandIn } from "./wiki/service.ts";

/** What the folders of services here export, by role. */
export const standIns = {
  analysis: analysisStandIn,
  artifacts: artifactsStandIn,
  ci: ciStandIn,
  hosting: hostingStandIn,
  review: reviewStandIn,
  tracker: trackerStandIn,
  wiki: wikiStandIn,
} as const;

/** The member `state` of each. */
export const states = {
  analysis: analysisStandIn.state,
  artifacts: artifactsStandIn.state,
  ci: ciStandIn.state,
  hosting: hostingStandIn.state,
  review: reviewStandIn.state,
  tracker: trackerStandIn.state,
  wiki: wikiStandIn.state,
} as const;
