import { z } from "zod";
import { readAction, wholeList, writeAction } from "./analysis-action.ts";
import { RoleAssignmentRecord, RoleRecord, TransitionList, UserRecord } from "./analysis-records.ts";

/** Flags of a role; only those sent are changed. @see facts.md, analysis: more parameters than the document */
const RoleFlags = {
  create_project: z.boolean().optional(),
  manage_roles: z.boolean().optional(),
  change_issue_status: z.boolean().optional(),
  allowed_status_transitions: TransitionList.optional(),
  manage_users: z.boolean().optional(),
  access_source_files: z.boolean().optional(),
  assign_role: z.boolean().optional(),
  change_project_settings: z.boolean().optional(),
  create_build: z.boolean().optional(),
  delete_build: z.boolean().optional(),
  delete_project: z.boolean().optional(),
  manage_modules: z.boolean().optional(),
  use_local_configuration: z.boolean().optional(),
  webapi_access: z.boolean().optional(),
};

const search = z.string().optional().describe("A substring of the name; with a leading plus the name itself.");

/** Actions on users and roles. @see ci-analysis-tracker-wiki.md, part B, group access */
export const accessOperations = {
  roles: readAction("roles", {
    summary: "Roles with their permissions.",
    args: z.object({ search }),
    result: z.array(RoleRecord),
  }),
  createRole: writeAction("create_role", {
    summary: "Creates a role.",
    repeatable: false,
    args: z.object({ name: z.string(), ...RoleFlags }),
    result: z.unknown(),
  }),
  deleteRole: writeAction("delete_role", {
    summary: "Deletes a role.",
    repeatable: false,
    args: z.object({ name: z.string() }),
    result: z.unknown(),
  }),
  users: readAction("users", {
    summary: "Users. The list is cut at `limit` (1000 where none is sent) and cannot be continued.",
    args: z.object({ search, limit: z.int().optional() }),
    result: z.array(UserRecord),
    paging: wholeList,
  }),
  createUser: writeAction("create_user", {
    summary: "Creates a user.",
    repeatable: false,
    args: z.object({ name: z.string(), password: z.string().optional() }),
    secrets: ["password"],
    result: z.unknown(),
  }),
  deleteUser: writeAction("delete_user", {
    summary: "Deletes a user.",
    repeatable: false,
    args: z.object({ name: z.string() }),
    result: z.unknown(),
  }),
  roleAssignments: readAction("role_assignments", {
    summary: "Who has which role in which project.",
    args: z.object({ search }),
    result: z.array(RoleAssignmentRecord),
  }),
  updateRoleAssignment: writeAction("update_role_assignment", {
    summary: "Gives a role to a user or a group, or takes it away.",
    repeatable: true,
    args: z.object({
      name: z.string().describe("The role."),
      project: z.union([z.string(), z.number()]).optional().describe("The project's id; all projects without."),
      account: z.string().describe("A user, or a group where `group` is true."),
      group: z.boolean().optional(),
      remove: z.boolean().optional(),
    }),
    result: z.unknown(),
  }),
  updateRolePermissions: writeAction("update_role_permissions", {
    summary: "Changes those permissions of a role that are sent.",
    repeatable: true,
    args: z.object({ name: z.string(), ...RoleFlags }),
    result: z.unknown(),
  }),
} as const;
