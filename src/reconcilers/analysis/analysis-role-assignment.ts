import { z } from "zod";
import type { RoleAssignmentRecord } from "../../clients/analysis/access-records.ts";
import type { AnalysisOperations, AnalysisReader } from "../../clients/analysis/operations.ts";
import { callOf } from "../../core/call.ts";
import type { Kind } from "../../core/kind.ts";
import { type Problem, ProblemError } from "../../core/problem.ts";
import { canonicalJson } from "../../core/text/json.ts";
import { Text } from "../shared/fields.ts";
import { observeAll } from "../shared/told.ts";

const call = callOf<AnalysisOperations>();

const AnalysisRoleAssignment = z.strictObject({
  role: Text.describe("Name of the role."),
  project: Text.optional().describe("Name of the project; if left out, the role applies to all projects."),
  account: Text.describe("Name of the user or the group that has the role."),
  group: z.boolean().default(false).describe("Whether `account` is a group."),
});
type AnalysisRoleAssignment = z.infer<typeof AnalysisRoleAssignment>;

/** How a write names the project: by its id if the service reports one. */
type ProjectId = string | number | undefined;

/** One account's role in one project, or in all. All fields are part of the identity: an assignment exists or not. */
export const analysisRoleAssignment: Kind<AnalysisRoleAssignment, AnalysisOperations, ProjectId> = {
  kind: "AnalysisRoleAssignment",
  role: "analysis",
  summary: "Who has which role of the static analysis server, and where.",
  spec: AnalysisRoleAssignment,
  budget: {
    reads: "1 roleAssignments for all; 1 projects if an assignment is for a project",
    writes: "1 updateRoleAssignment per assignment",
  },
  notes: `A record without a project is for all projects only if setpoint understands everything in it; otherwise every
assignment that it could mean is unknown, and nothing is imported. A write names a project by its id, or by its name if the
same apply imports or renames it, because its id is not known yet.`,
  key: ({ role, project = "", account, group }) => `${role}:${project}:${group ? "group:" : ""}${account}`,
  scope: () => "role assignments",
  references: ({ role, project, account, group }) => [
    { kind: "AnalysisRole", identity: { name: role } },
    { kind: group ? "AnalysisGroup" : "AnalysisUser", identity: { name: account } },
    ...(project === undefined ? [] : [{ kind: "AnalysisProject", identity: { name: project } }]),
  ],

  async observe(read, _scope, wanted) {
    // Read at the same time, because the service names projects by id only.
    const [records, listed] = await Promise.all([
      read.roleAssignments({}),
      wanted.some(({ project }) => project !== undefined) ? projectsOf(read) : undefined,
    ]);
    const projects = listed ?? (records.some(isNameless) ? await projectsOf(read) : noProjects);
    const specs = records.map((record) => specOf(record, projects));
    const said = new Set(specs.map(canonicalJson));
    const ids = new Map<string, ProjectId>(projects.ids);
    for (const { project, project_id } of records) if (project && project_id != null) ids.set(project, project_id);
    return observeAll(wanted, analysisRoleAssignment, (spec) => {
      const { project } = spec;
      const marker = project === undefined ? undefined : (ids.get(project) ?? project);
      if (said.has(canonicalJson(spec))) return { is: "present", spec, marker };
      const doubt = records.find((record) => mayMean(record, spec, projects));
      if (doubt !== undefined) return { is: "unknown", problem: unclear(doubt, projects) };
      const other = marker === project && project !== undefined ? projects.names.get(project) : undefined;
      return other === undefined || other === project
        ? { is: "absent", marker }
        : { is: "unknown", problem: mistakable(project, other) };
    });
  },

  async list(read) {
    const records = await read.roleAssignments({});
    const projects = records.some(isNameless) ? await projectsOf(read) : noProjects;
    return records.map((record) => {
      const spec = specOf(record, projects);
      if (spec === undefined) throw new ProblemError(unclear(record, projects));
      return spec;
    });
  },

  compile: (changes) =>
    changes.map((change) => {
      const { role, account, group } = change.action === "delete" ? change.live : change.desired;
      const args = {
        name: role,
        account,
        group,
        project: change.marker,
        remove: change.action === "delete" || undefined,
      };
      return call("updateRoleAssignment", args, [change]);
    }),

  risk: ({ action }) => (action === "delete" ? ["narrows-access"] : ["widens-access"]),
};

/** The projects that were read, by id and by name. */
interface Projects {
  readonly names: ReadonlyMap<string, string>;
  readonly ids: ReadonlyMap<string, ProjectId>;
}

const noProjects: Projects = { names: new Map(), ids: new Map() };

async function projectsOf(read: AnalysisReader): Promise<Projects> {
  const projects = (await read.projects({})).map(({ id, name }) => [id, name] as const);
  return {
    names: new Map(projects.map(([id, name]) => [String(id), name])),
    ids: new Map(projects.map(([id, name]) => [name, id])),
  };
}

/** Whether a record has only the id of its project. */
function isNameless({ project, project_id }: RoleAssignmentRecord): boolean {
  return (project ?? "") === "" && project_id != null;
}

/** Returns the name of a record's project; undefined if it has none, or only the id of one that the service does not list. */
function projectOf(record: RoleAssignmentRecord, projects: Projects): string | undefined {
  if (!isNameless(record)) return record.project || undefined;
  return projects.names.get(String(record.project_id));
}

/** Whether a record is for all projects: it has no project, and setpoint understands all of it. @see docs/facts.md, analysis */
function isForAll({ project, project_id, unclear = {} }: RoleAssignmentRecord): boolean {
  return (project ?? "") === "" && project_id == null && Object.values(unclear).every((value) => value === null);
}

/** Returns the assignment in a record; undefined if the record does not say who has which role where. */
function specOf(record: RoleAssignmentRecord, projects: Projects): AnalysisRoleAssignment | undefined {
  const { name: role, account, group } = record;
  const project = projectOf(record, projects);
  if (role === undefined || account === undefined || group === undefined) return undefined;
  if (project === undefined) return isForAll(record) ? { role, account, group } : undefined;
  return { role, project, account, group };
}

/** Whether a record is about an assignment, or could be because it is incomplete. */
function mayMean(record: RoleAssignmentRecord, spec: AnalysisRoleAssignment, projects: Projects): boolean {
  const project = projectOf(record, projects);
  const isUnlisted = isNameless(record) && project === undefined;
  const isThere = spec.project !== undefined && projects.ids.has(spec.project);
  return (
    (record.name ?? spec.role) === spec.role &&
    (record.account ?? spec.account) === spec.account &&
    (record.group ?? spec.group) === spec.group &&
    (project ?? spec.project) === spec.project &&
    !(isForAll(record) && spec.project !== undefined) &&
    !(isUnlisted && (spec.project === undefined || isThere))
  );
}

/** Returns the problem of a project that is yet to get its id, and whose name is the id of another one. */
function mistakable(project: string | undefined, other: string): Problem {
  return {
    code: "SP3005",
    operation: "projects",
    message: `There is no project ${project} yet, and the service would take that name for the project ${other}, whose id it is.`,
    hint: "Plan again once the project exists: an assignment then names it by its own id.",
  };
}

function unclear(record: RoleAssignmentRecord, projects: Projects): Problem {
  const { name = "a role", account = "an account", project_id: id } = record;
  if (isNameless(record) && projectOf(record, projects) === undefined) {
    const message = `A role of ${account} is for the project with id ${id}, which the service does not list.`;
    return { code: "SP3104", operation: "projects", message, hint: "Check that the account may see all projects." };
  }
  const missing = (["name", "account", "group"] as const).filter((field) => record[field] === undefined);
  const fields = [...new Set([...missing, ...Object.keys(record.unclear ?? {})])].join(", ");
  return {
    code: "SP3103",
    operation: "roleAssignments",
    message: `The service gives ${name} to ${account}, but setpoint does not understand who has it and where: see ${fields}.`,
    hint: "Inspect the answer with setpoint call; its format is not documented.",
  };
}
