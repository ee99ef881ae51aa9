import { z } from "zod";
import type { Reader } from "../../core/operation.ts";
import { read, write } from "../table.ts";
import { accessOperations } from "./access.ts";
import { action } from "./action.ts";
import { issueOperations, reportOperations } from "./issues.ts";
import { buildsOperations, projectOperations } from "./projects.ts";
import { LicenseRecord, Source, TaskRecord, VersionRecord } from "./records.ts";

/** Actions on the server as a whole. @see docs/api/analysis.md */
const serverOperations = {
  importServerConfiguration: write({
    ...action("import_server_configuration"),
    summary: "Imports users, groups, roles and settings from another server.",
    args: z.object(Source),
    secrets: ["sourcePassword"],
  }),
  licenseCount: read({
    ...action("license_count"),
    summary: "How many licences the server has, for one feature if `feature` is given.",
    args: z.object({ feature: z.string().optional() }),
    result: z.array(LicenseRecord),
  }),
  taskStatus: read({
    ...action("task_status"),
    summary: "The server's running tasks. The shape is unconfirmed.",
    result: z.array(TaskRecord),
  }),
  version: read({
    ...action("version"),
    summary: "The server's version. The shape is unconfirmed.",
    result: z.array(VersionRecord),
  }),
} as const;

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
