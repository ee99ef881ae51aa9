import { z } from "zod";
import type { Reader } from "../../core/operation.ts";
import { read, write } from "../table.ts";
import { RoleAssignmentList, RoleRecord } from "./access-records.ts";
import { action, wholeList } from "./action.ts";
import { issueOperations, reportOperations } from "./issues.ts";
import { buildsOperations, projectOperations } from "./projects.ts";
import {
  LicenseRecord,
  NameFilter,
  RoleFlags,
  Source,
  TaskRecord,
  TransitionList,
  UserRecord,
  VersionRecord,
} from "./records.ts";

/** The settings of a role; only those sent change. */
const permissions = { ...RoleFlags, allowed_status_transitions: TransitionList.optional() };

const search = z.string().optional().describe("Part of the name; with a leading plus, the exact name.");

/** Actions on users and roles. @see docs/api/analysis.md */
const accessOperations = {
  roles: read(action("roles"), {
    summary: "Roles with their permissions.",
    args: z.object({ search }),
    result: z.array(RoleRecord),
  }),
  createRole: write(action("create_role"), {
    summary: "Creates a role.",
    args: z.object({ name: z.string(), ...permissions }),
  }),
  deleteRole: write(action("delete_role"), { summary: "Deletes a role.", args: z.object({ name: z.string() }) }),
  users: read(action("users"), {
    summary: "Users. The list is cut at `limit` (default 1000) and has no further pages.",
    args: z.object({ search: NameFilter, limit: z.int().optional() }),
    result: z.array(UserRecord),
    paging: wholeList,
  }),
  createUser: write(action("create_user"), {
    summary: "Creates a user.",
    args: z.object({ name: z.string(), password: z.string().optional() }),
    secrets: ["password"],
  }),
  deleteUser: write(action("delete_user"), { summary: "Deletes a user.", args: z.object({ name: z.string() }) }),
  roleAssignments: read(action("role_assignments"), {
    summary: "Who has which role in which project.",
    args: z.object({ search }),
    result: RoleAssignmentList,
  }),
  updateRoleAssignment: write(action("update_role_assignment"), {
    summary: "Assigns a role to a user or a group, or removes it.",
    args: z.object({
      name: z.string().describe("The role."),
      project: z.union([z.string(), z.number()]).optional().describe("The project's id; default: all projects."),
      account: z.string().describe("A user, or a group if `group` is true."),
      group: z.boolean().optional(),
      remove: z.boolean().optional(),
    }),
  }),
  updateRolePermissions: write(action("update_role_permissions"), {
    summary: "Changes the given permissions of a role.",
    args: z.object({ name: z.string(), ...permissions }),
  }),
} as const;

/** Actions on the server as a whole. @see docs/api/analysis.md */
const serverOperations = {
  importServerConfiguration: write(action("import_server_configuration"), {
    summary: "Imports users, groups, roles and settings from another server.",
    args: z.object(Source),
    secrets: ["sourcePassword"],
  }),
  licenseCount: read(action("license_count"), {
    summary: "How many licences the server has, for one feature if `feature` is given.",
    args: z.object({ feature: z.string().optional() }),
    result: z.array(LicenseRecord),
  }),
  taskStatus: read(action("task_status"), {
    summary: "The server's running tasks. The shape is unconfirmed.",
    result: z.array(TaskRecord),
  }),
  version: read(action("version"), {
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
