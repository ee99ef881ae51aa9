// Derived by scripts/generate.ts: do not edit.
import { analysisExample } from "./analysis/service.ts";
import { artifactsExample } from "./artifacts/service.ts";
import { ciExample } from "./ci/service.ts";
import { hostingExample } from "./hosting/service.ts";
import { reviewExample } from "./review/service.ts";
import { trackerExample } from "./tracker/service.ts";
import { wikiExample } from "./wiki/service.ts";

/** What the folders of services here export, by role. */
export const examples = {
  analysis: analysisExample,
  artifacts: artifactsExample,
  ci: ciExample,
  hosting: hostingExample,
  review: reviewExample,
  tracker: trackerExample,
  wiki: wikiExample,
} as const;
