import type { Reader } from "../core/operation.ts";
import { accessOperations } from "./analysis-access.ts";
import { buildsOperations } from "./analysis-builds.ts";
import { issueOperations } from "./analysis-issue.ts";
import { projectOperations } from "./analysis-project.ts";
import { reportOperations } from "./analysis-report.ts";
import { serverOperations } from "./analysis-server.ts";

/**
 * Operations of the static analysis server (Klocwork), one table for each group of the document.
 * @see ci-analysis-tracker-wiki.md, part B
 */
export const analysisOperations = {
  ...serverOperations,
  ...accessOperations,
  ...projectOperations,
  ...buildsOperations,
  ...issueOperations,
  ...reportOperations,
} as const;

/** The reading half of the static analysis client. */
export type AnalysisReader = Reader<typeof analysisOperations>;
