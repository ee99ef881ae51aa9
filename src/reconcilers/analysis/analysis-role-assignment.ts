import { z } from "zod";
import type { AnalysisOperations } from "../../clients/analysis/operations.ts";
import type { ProjectRecord, RoleAssignmentRecord } from "../../clients/analysis/records.ts";
import { callOf } from "../../core/call.ts";
import type { Observation } from "../../core/change.ts";
import type { Kind } from "../../core/kind.ts";
import { type Problem, ProblemError } from "../../core/problem.ts";

const call = callOf<AnalysisOperations>();

const AnalysisRoleAssignment = z.strictObject({
  role: z.string().min(1).describe("Name of the role."),
  project: z.string().min(1).optional().describe("Name of the project; if left out, the role applies to all projects."),
  account: z.string().min(1).describe("Name of the user or the group that has the role."),
  group: z.boolean().default(false).describe("Whether `account` is a group."),
});
type AnalysisRoleAssignment = z.infer<typeof AnalysisRoleAssignment>;

/** How a write names the project: by its id if the service reports one. */
type ProjectId = string | number | undefined;

/** One account's role in one project, or in all. All fields are identity: an assignment exists or not. */
export const analysisRoleAssignment: Kind<AnalysisRoleAssignment, AnalysisOperations, ProjectId> = {
  kind: "AnalysisRoleAssignment",
  role: "analysis",
  summary: "Who has which role of the static analysis server, and where.",
  spec: AnalysisRoleAssignment,
  budget: {
    reads: "1 roleAssignments for all; 1 projects if no assignment reports the id of a project",
    writes: "1 updateRoleAssignment per assignment",
  },
  notes: `The shape of the service's role assignment records is unconfirmed. A write names a project by its id, or
by its name if the same apply imports or renames it, because its id is not known yet.`,
  key: ({ role, project = "", account, group }) => `${role}:${project}:${group ? "group:" : ""}${account}`,
  scope: () => "role assignments",
  references: ({ role, project, account, group }) => [
    { kind: "AnalysisRole", identity: { name: role } },
    { kind: group ? "AnalysisGroup" : "AnalysisUser", identity: { name: account } },
    ...(project === undefined ? [] : [{ kind: "AnalysisProject", identity: { name: project } }]),
  ],

  async observe(read, _scope, wanted) {
    const records = await read.roleAssignments({});
    const isNamed = (project: string) => records.some((record) => record.project === project);
    const needsProjects =
      wanted.some(({ project }) => project !== undefined && !isNamed(project)) || records.some(isNameless);
    const projects = needsProjects ? await read.projects({}) : undefined;
    return new Map(
      wanted.map((spec) => [
        analysisRoleAssignment.key(spec),
        observeAssignment(spec, records.map(named(projects)), projects),
      ]),
    );
  },

  async list(read) {
    const records = await read.roleAssignments({});
    const projects = records.some(isNameless) ? await read.projects({}) : undefined;
    return records.map(named(projects)).map((record) => {
      if (isNameless(record)) throw new ProblemError(unlisted(record));
      const { name: role, project, account, group } = record;
      return { role, ...(project == null ? {} : { project }), account, group };
    });
  },

  compile: (changes) =>
    changes.map((change) => {
      const { role, account, group } = change.action === "delete" ? change.live : change.desired;
      const args = {
        name: role,
        account,
        group,
        ...(change.marker === undefined ? {} : { project: change.marker }),
        ...(change.action === "delete" ? { remove: true } : {}),
      };
      return call("updateRoleAssignment", args, [change]);
    }),

  risk: ({ action }) => (action === "delete" ? ["narrows-access"] : ["widens-access"]),
};

/** Whether a record has only the id of its project. */
function isNameless({ project, project_id }: RoleAssignmentRecord): boolean {
  return project == null && project_id != null;
}

function unlisted({ project_id, account }: RoleAssignmentRecord): Problem {
  const message = `A role of ${account} is for the project with id ${project_id}, which the service does not list.`;
  return { code: "SP3104", operation: "projects", message, hint: "Check that the account may see all projects." };
}

/** Fills in the project's name if the record has only its id. */
function named(projects: readonly ProjectRecord[] = []): (record: RoleAssignmentRecord) => RoleAssignmentRecord {
  return (record) => ({
    ...record,
    project: record.project ?? projects.find(({ id }) => String(id) === String(record.project_id))?.name,
  });
}

function observeAssignment(
  spec: AnalysisRoleAssignment,
  records: readonly RoleAssignmentRecord[],
  projects: readonly ProjectRecord[] | undefined,
): Observation<AnalysisRoleAssignment, ProjectId> {
  const { role, project, account, group } = spec;
  const marker =
    records.find((record) => record.project === project && record.project_id != null)?.project_id ??
    projects?.find(({ name }) => name === project)?.id ??
    project;
  const isThere = records.some(
    (record) =>
      record.name === role &&
      (record.project ?? undefined) === project &&
      record.account === account &&
      record.group === group,
  );
  return isThere ? { is: "present", spec, marker } : { is: "absent", marker };
}
