import { z } from "zod";
import { readAction, writeAction } from "./action.ts";
import { BuildRecord, DefectTypeRecord, NameList } from "./records.ts";

/** Actions on builds, defect types and modules. @see docs/api/analysis.md */
export const buildsOperations = {
  builds: readAction("builds", {
    summary: "Builds of a project, with their dates in milliseconds since 1970.",
    args: z.object({ project: z.string(), username: z.string().optional() }),
    result: z.array(BuildRecord),
  }),
  defectTypes: readAction("defect_types", {
    summary: "Defect types of a project, and whether they are enabled. The shape is unconfirmed.",
    args: z.object({ project: z.string() }),
    result: z.array(DefectTypeRecord),
  }),
  updateDefectType: writeAction("update_defect_type", {
    summary: "Enables or disables a defect type of a project, or changes its severity.",
    repeatable: true,
    args: z.object({
      project: z.string(),
      code: z.string(),
      enabled: z.boolean().optional(),
      severity: z.int().optional(),
    }),
    result: z.unknown(),
  }),
  deleteBuild: writeAction("delete_build", {
    summary: "Deletes a build of a project.",
    repeatable: false,
    args: z.object({ project: z.string(), name: z.string() }),
    result: z.unknown(),
  }),
  createModule: writeAction("create_module", {
    summary: "Creates a module of a project.",
    repeatable: false,
    args: z.object({
      project: z.string(),
      name: z.string(),
      allow_all: z.boolean().optional(),
      paths: NameList.optional().describe("Patterns of paths."),
    }),
    result: z.unknown(),
  }),
  deleteModule: writeAction("delete_module", {
    summary: "Deletes a module of a project.",
    repeatable: false,
    args: z.object({ project: z.string(), name: z.string() }),
    result: z.unknown(),
  }),
  updateModule: writeAction("update_module", {
    summary: "Changes what is sent of a module, such as its name or its paths.",
    repeatable: false,
    args: z.object({
      project: z.string(),
      name: z.string(),
      new_name: z.string().optional(),
      allow_all: z.boolean().optional(),
      paths: NameList.optional().describe("Patterns of paths."),
    }),
    result: z.unknown(),
  }),
  updateBuild: writeAction("update_build", {
    summary: "Renames a build, or says whether it is always kept.",
    repeatable: false,
    args: z.object({
      name: z.string(),
      new_name: z.string().optional(),
      project: z.string().optional().describe("The real server needs it."),
      keepit: z.boolean().optional(),
    }),
    result: z.unknown(),
  }),
} as const;
