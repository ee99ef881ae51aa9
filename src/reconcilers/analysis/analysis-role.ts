import { z } from "zod";
import type { RoleRecord } from "../../clients/analysis/access-records.ts";
import type { AnalysisOperations } from "../../clients/analysis/operations.ts";
import { callOf } from "../../core/call.ts";
import type { Kind } from "../../core/kind.ts";
import { defined } from "../../core/text/json.ts";
import { changedIn, Text } from "../shared/fields.ts";
import { accessRisks } from "../shared/risks.ts";
import { asTold, observeAll } from "../shared/told.ts";

const call = callOf<AnalysisOperations>();

const Status = Text.regex(/^[^,;]+$/, "expected a status name without , and ;").refine(
  (name) => name === name.trim(),
  "expected a status name without leading or trailing spaces",
);
const Transition = z.strictObject({
  from: Status.describe("Status before, or `Any`."),
  to: Status.describe("Status after, or `Any`."),
});

const flag = (what: string) => z.boolean().optional().describe(`Whether the role may ${what}.`);

const AnalysisRole = z.strictObject({
  name: Text.describe("Name of the role."),
  createProject: flag("create projects"),
  manageRoles: flag("manage roles"),
  changeIssueStatus: flag("change the status of issues"),
  allowedStatusTransitions: z.array(Transition).optional().describe("Which changes of status are allowed."),
  manageUsers: flag("manage users"),
  accessSourceFiles: flag("see source files"),
  assignRole: flag("assign roles"),
  changeProjectSettings: flag("change the settings of projects"),
  createBuild: flag("create builds"),
  deleteBuild: flag("delete builds"),
  deleteProject: flag("delete projects"),
  manageModules: flag("manage modules"),
  useLocalConfiguration: flag("use a local configuration"),
  webapiAccess: flag("use the web API"),
  executeKwxsync: flag("synchronize issues between projects"),
  createStream: flag("create streams"),
  deleteStream: flag("delete streams"),
});
type AnalysisRole = z.infer<typeof AnalysisRole>;

/** The service's name for each flag. */
const parameters = {
  createProject: "create_project",
  manageRoles: "manage_roles",
  changeIssueStatus: "change_issue_status",
  manageUsers: "manage_users",
  accessSourceFiles: "access_source_files",
  assignRole: "assign_role",
  changeProjectSettings: "change_project_settings",
  createBuild: "create_build",
  deleteBuild: "delete_build",
  deleteProject: "delete_project",
  manageModules: "manage_modules",
  useLocalConfiguration: "use_local_configuration",
  webapiAccess: "webapi_access",
  executeKwxsync: "execute_kwxsync",
  createStream: "create_stream",
  deleteStream: "delete_stream",
} as const satisfies Partial<Record<keyof AnalysisRole, keyof RoleRecord>>;

/** A role and what it may do. */
export const analysisRole: Kind<AnalysisRole, AnalysisOperations, undefined> = {
  kind: "AnalysisRole",
  role: "analysis",
  summary: "A role of the static analysis server and what it may do.",
  spec: AnalysisRole,
  budget: {
    reads: "1 roles for all",
    writes: "1 createRole, updateRolePermissions (changed fields only) or deleteRole per role",
  },
  notes: `The product has the fields from \`manageUsers\` on, but the API documents do not list them; those of streams are in newer
versions only. Permissions whose names are not published, such as those for CI builds, cannot be declared. A role is unknown if its
record does not state a permission that the manifest sets, and an import leaves that permission out.`,
  key: ({ name }) => name,
  scope: () => "roles",
  normalize: ({ allowedStatusTransitions: transitions, ...spec }) => ({
    ...spec,
    allowedStatusTransitions: pairs(transitions),
  }),

  async observe(read, _scope, wanted) {
    const roles = new Map((await read.roles({})).map((role) => [role.name, liveRole(role)]));
    return observeAll(wanted, analysisRole, (spec) => asTold(spec, roles.get(spec.name), undefined, "roles"));
  },

  async list(read) {
    return (await read.roles({})).map(liveRole);
  },

  compile: (changes) =>
    changes.map((change) => {
      const name = change.key;
      if (change.action === "delete") return call("deleteRole", { name }, [change]);
      if (change.action === "create") return call("createRole", { name, ...parametersOf(change.desired) }, [change]);
      return call("updateRolePermissions", { name, ...parametersOf(changedIn(change)) }, [change]);
    }),

  risk: (change) => {
    if (change.action === "delete") return ["irreversible", "narrows-access"];
    return accessRisks(change.action === "update" ? grants(change.live) : [], grants(change.desired));
  },
};

/** Returns only what the record states: a flag that it leaves out could be on. */
function liveRole({ name, allowed_status_transitions: transitions, ...record }: RoleRecord): AnalysisRole {
  const flags = Object.entries(parameters).flatMap(([field, parameter]) =>
    record[parameter] === undefined ? [] : [[field, record[parameter]]],
  );
  return { name, ...Object.fromEntries(flags), ...defined({ allowedStatusTransitions: transitions }) };
}

function parametersOf({ allowedStatusTransitions: transitions, ...stated }: Partial<AnalysisRole>) {
  const flags: { [Name in (typeof parameters)[keyof typeof parameters]]?: boolean } = {};
  for (const [field, value] of Object.entries(stated))
    if (isFlag(field) && typeof value === "boolean") flags[parameters[field]] = value;
  return { ...flags, ...defined({ allowed_status_transitions: transitions }) };
}

function isFlag(field: string): field is keyof typeof parameters {
  return Object.hasOwn(parameters, field);
}

/** Returns transitions as strings, each once, sorted. */
function pairs(transitions: AnalysisRole["allowedStatusTransitions"]): readonly string[] | undefined {
  return transitions && [...new Set(transitions.map(({ from, to }) => `${from},${to}`))].sort();
}

function grants(role: AnalysisRole): readonly string[] {
  const flags = Object.entries(role).flatMap(([field, value]) => (value === true ? [field] : []));
  return [...flags, ...(pairs(role.allowedStatusTransitions) ?? [])];
}
