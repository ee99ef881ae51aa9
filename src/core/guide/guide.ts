import type { ProblemCode } from "../problem.ts";
import type { GuideEntry } from "./entry.ts";
import { manifestGuide } from "./manifests.ts";
import { runGuide } from "./runs.ts";

/** Every code, explained. */
export const problemGuide: Readonly<Record<ProblemCode, GuideEntry>> = { ...manifestGuide, ...runGuide };
