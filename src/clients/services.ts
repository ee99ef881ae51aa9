// Derived by scripts/generate.ts: do not edit.
import { analysisService } from "./analysis/service.ts";
import { artifactsService } from "./artifacts/service.ts";
import { ciService } from "./ci/service.ts";
import { hostingService } from "./hosting/service.ts";
import { reviewService } from "./review/service.ts";
import { trackerService } from "./tracker/service.ts";
import { wikiService } from "./wiki/service.ts";

/** What the folders of services here export, by role. */
export const services = {
  analysis: analysisService,
  artifacts: artifactsService,
  ci: ciService,
  hosting: hostingService,
  review: reviewService,
  tracker: trackerService,
  wiki: wikiService,
} as const;
