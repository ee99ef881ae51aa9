import type { Reader } from "../../core/operation.ts";
import { accessOperations } from "./access.ts";
import { buildsOperations } from "./builds.ts";
import { issueOperations } from "./issue.ts";
import { projectOperations } from "./project.ts";
import { reportOperations } from "./report.ts";
import { serverOperations } from "./server.ts";

/**
 * Operations of the static analysis server (Klocwork), one table for each group of the document.
 * @see docs/api/analysis.md
 */
export const analysisOperations = {
  ...serverOperations,
  ...accessOperations,
  ...projectOperations,
  ...buildsOperations,
  ...issueOperations,
  ...reportOperations,
} as const;
export type AnalysisOperations = typeof analysisOperations;

/** The reading half of the static analysis client. */
export type AnalysisReader = Reader<AnalysisOperations>;
