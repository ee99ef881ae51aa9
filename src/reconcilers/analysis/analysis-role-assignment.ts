import { z } from "zod";
import type { AnalysisReader } from "../../clients/analysis.ts";
import type { ProjectRecord, RoleAssignmentRecord } from "../../clients/analysis-records.ts";
import type { Kind } from "../../core/kind.ts";
import type { Observation } from "../../core/observation.ts";

const AnalysisRoleAssignment = z.strictObject({
  role: z.string().min(1).describe("Name of the role."),
  project: z.string().min(1).optional().describe("Name of the project; left out, the role is given for all projects."),
  account: z.string().min(1).describe("Name of the user or the group that has the role."),
  group: z.boolean().default(false).describe("Whether `account` is a group."),
});
type AnalysisRoleAssignment = z.infer<typeof AnalysisRoleAssignment>;

/** How the service names the project in a write: by its id where it tells one. */
type ProjectId = string | number | undefined;

/** One account's role in one project, or in all. All of it is identity: an assignment is there or not. */
export const analysisRoleAssignment: Kind<AnalysisRoleAssignment, AnalysisReader, ProjectId> = {
  kind: "AnalysisRoleAssignment",
  role: "analysis",
  summary: "Who has which role of the static analysis server, and where.",
  spec: AnalysisRoleAssignment,
  budget: {
    reads: "1 roleAssignments for all; 1 projects where no assignment of a project tells its id yet",
    writes: "1 updateRoleAssignment an assignment",
  },
  notes: "The shape of the service's role assignment records is unconfirmed.",
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
      wanted.some(({ project }) => project !== undefined && !isNamed(project)) ||
      records.some(({ project, project_id }) => project == null && project_id != null);
    const projects = needsProjects ? await read.projects({}) : undefined;
    return new Map(
      wanted.map((spec) => [
        analysisRoleAssignment.key(spec),
        observeAssignment(spec, records.map(named(projects)), projects),
      ]),
    );
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
      return { operation: "updateRoleAssignment", args, carries: [change.address] };
    }),

  risk: ({ action }) => (action === "delete" ? ["narrows-access"] : ["widens-access"]),
};

/** Fills in the name of a project of which the record has the id alone. */
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
  if (isThere) return { is: "present", spec, marker };
  if (project === undefined || projects === undefined || projects.some(({ name }) => name === project))
    return { is: "absent", marker };
  const message = `The service has no project ${project}.`;
  return { is: "unknown", problem: { code: "SP3005", operation: "projects", message } };
}
