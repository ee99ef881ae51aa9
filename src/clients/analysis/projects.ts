import { z } from "zod";
import { read, write } from "../table.ts";
import { action, wholeList } from "./action.ts";
import {
  BuildRecord,
  beyond,
  DefectTypeRecord,
  GroupRecord,
  ImportRecord,
  ModuleRecord,
  NameFilter,
  NameList,
  ProjectConfigurationRecord,
  ProjectRecord,
  Source,
  TaxonomyRecord,
} from "./records.ts";

/** Actions on groups and projects. @see docs/api/analysis.md */
export const projectOperations = {
  groups: read(action("groups"), {
    summary: "Groups, with their members if `list_users` is true. Cut at `limit`, as users are.",
    args: z.object({
      search: NameFilter,
      limit: z.int().optional(),
      list_users: z.boolean().optional().meta(beyond),
    }),
    result: z.array(GroupRecord),
    paging: wholeList,
  }),
  createGroup: write(action("create_group"), {
    summary: "Creates a group with its members.",
    args: z.object({ name: z.string(), users: NameList.optional() }),
  }),
  deleteGroup: write(action("delete_group"), {
    summary: "Deletes a group; its members stay.",
    args: z.object({ name: z.string() }),
  }),
  updateGroup: write(action("update_group"), {
    summary: "Replaces the members of a group, or removes all of them.",
    args: z.object({ name: z.string(), users: NameList.optional(), remove_all: z.boolean().optional().meta(beyond) }),
  }),
  projects: read(action("projects"), { summary: "Projects with their ids.", result: z.array(ProjectRecord) }),
  importProject: write(action("import_project"), {
    summary: "Imports a project from another server; `importStatus` shows its progress.",
    args: z.object({ project: z.string(), ...Source }),
    secrets: ["sourcePassword"],
  }),
  deleteProject: write(action("delete_project"), {
    summary: "Deletes a project with its builds and issues.",
    args: z.object({ name: z.string() }),
  }),
  updateProject: write(action("update_project"), {
    summary: "Renames a project.",
    args: z.object({ name: z.string(), new_name: z.string() }),
  }),
  importStatus: read(action("import_status"), {
    summary: "Progress of imports. The shape is unconfirmed.",
    result: z.array(ImportRecord),
  }),
  modules: read(action("modules"), {
    summary: "Modules of a project: named sets of paths.",
    args: z.object({ project: z.string() }),
    result: z.array(ModuleRecord),
  }),
  projectConfiguration: read(action("project_configuration"), {
    summary: "How a project was analysed, in its last build or the given one. The shape is unconfirmed.",
    args: z.object({ project: z.string(), build: z.string().optional() }),
    result: z.array(ProjectConfigurationRecord),
  }),
  taxonomies: read(action("taxonomies"), {
    summary: "Taxonomies of defects in a project.",
    args: z.object({ project: z.string() }),
    result: z.array(TaxonomyRecord),
  }),
} as const;

/** What a module is. */
const module = { allow_all: z.boolean().optional(), paths: NameList.optional().describe("Patterns of paths.") };

/** Actions on builds, defect types and modules. @see docs/api/analysis.md */
export const buildsOperations = {
  builds: read(action("builds"), {
    summary: "Builds of a project, with their dates in milliseconds since 1970.",
    args: z.object({ project: z.string(), username: z.string().optional() }),
    result: z.array(BuildRecord),
  }),
  defectTypes: read(action("defect_types"), {
    summary: "Defect types of a project, and whether they are enabled. The shape is unconfirmed.",
    args: z.object({ project: z.string() }),
    result: z.array(DefectTypeRecord),
  }),
  updateDefectType: write(action("update_defect_type"), {
    summary: "Enables or disables a defect type of a project, or changes its severity.",
    args: z.object({
      project: z.string(),
      code: z.string(),
      enabled: z.boolean().optional(),
      severity: z.int().optional().meta(beyond),
    }),
  }),
  deleteBuild: write(action("delete_build"), {
    summary: "Deletes a build of a project.",
    args: z.object({ project: z.string(), name: z.string() }),
  }),
  createModule: write(action("create_module"), {
    summary: "Creates a module of a project.",
    args: z.object({ project: z.string(), name: z.string(), ...module }),
  }),
  deleteModule: write(action("delete_module"), {
    summary: "Deletes a module of a project.",
    args: z.object({ project: z.string(), name: z.string() }),
  }),
  updateModule: write(action("update_module"), {
    summary: "Changes the given fields of a module, such as its name or paths.",
    args: z.object({ project: z.string(), name: z.string(), new_name: z.string().optional(), ...module }),
  }),
  updateBuild: write(action("update_build"), {
    summary: "Renames a build, or sets whether it is always kept.",
    args: z.object({
      name: z.string(),
      new_name: z.string().optional(),
      project: z.string().optional().describe("The real server needs it.").meta(beyond),
      keepit: z.boolean().optional().meta(beyond),
    }),
  }),
} as const;
