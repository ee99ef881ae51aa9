import { z } from "zod";
import type { Answer, Asked } from "../exchange.ts";
import { Refusal } from "../refusal.ts";
import { FlagField, readForm } from "./form.ts";
import { changed, find, matches, requireAbsent, requireAdmin } from "./records.ts";
import { type AnalysisAssignment, type AnalysisRole, type AnalysisState, roleFlags } from "./state.ts";

const flagFields = Object.fromEntries(roleFlags.map((flag) => [flag, FlagField.optional()]));

/** Roles, and who has them where. */
export const roleAnswers = {
  roles(world, asked) {
    const { search } = readForm(asked, { search: z.string().optional() });
    return { body: world.analysis.roles.filter(({ name }) => matches(name, search)).map(viewRole) };
  },

  createRole(world, asked) {
    requireAdmin(asked);
    const { name } = readForm(asked, { name: z.string() });
    requireAbsent("Role", world.analysis.roles, name);
    const role = withSent({ name, permissions: [], allowed_status_transitions: "" }, asked);
    return changed(world, { roles: [...world.analysis.roles, role] });
  },

  deleteRole(world, asked) {
    requireAdmin(asked);
    const { name } = readForm(asked, { name: z.string() });
    find("Role", world.analysis.roles, name);
    return changed(world, {
      roles: world.analysis.roles.filter((role) => role.name !== name),
      assignments: world.analysis.assignments.filter(({ role }) => role !== name),
    });
  },

  updateRolePermissions(world, asked) {
    requireAdmin(asked);
    const { name } = readForm(asked, { name: z.string() });
    const role = find("Role", world.analysis.roles, name);
    const roles = world.analysis.roles.map((other) => (other === role ? withSent(role, asked) : other));
    return changed(world, { roles });
  },

  roleAssignments(world, asked) {
    const { search } = readForm(asked, { search: z.string().optional() });
    const found = world.analysis.assignments.filter(({ role }) => matches(role, search));
    return { body: found.map((assignment) => viewAssignment(world.analysis, assignment)) };
  },

  updateRoleAssignment(world, asked) {
    requireAdmin(asked);
    const { name, project, account, group, remove } = readForm(asked, {
      name: z.string(),
      project: z.string().optional(),
      account: z.string(),
      group: FlagField.default(false),
      remove: FlagField.default(false),
    });
    const { analysis } = world;
    find("Role", analysis.roles, name);
    find(group ? "Group" : "User", group ? analysis.groups : analysis.users, account);
    const id = project === undefined ? undefined : projectId(analysis, project);
    const others = analysis.assignments.filter(
      (other) => other.role !== name || other.account !== account || other.group !== group || other.project !== id,
    );
    const assignment = { role: name, account, group, ...(id === undefined ? {} : { project: id }) };
    return changed(world, { assignments: remove ? others : [...others, assignment] });
  },
} satisfies Record<string, Answer>;

function viewRole({ name, permissions, allowed_status_transitions }: AnalysisRole) {
  const flags = Object.fromEntries(roleFlags.map((flag) => [flag, permissions.includes(flag)]));
  return { name, ...flags, allowed_status_transitions };
}

/** Only what is sent changes. */
function withSent(role: AnalysisRole, asked: Asked): AnalysisRole {
  const sent = readForm(asked, flagFields);
  const { allowed_status_transitions } = readForm(asked, { allowed_status_transitions: z.string().optional() });
  return {
    ...role,
    permissions: roleFlags.filter((flag) => sent[flag] ?? role.permissions.includes(flag)),
    allowed_status_transitions: allowed_status_transitions ?? role.allowed_status_transitions,
  };
}

function viewAssignment({ projects }: AnalysisState, { role, project, account, group }: AnalysisAssignment) {
  const named = projects.find(({ id }) => id === project);
  return { name: role, ...(named === undefined ? {} : { project: named.name, project_id: named.id }), account, group };
}

/** The id of a project: real servers are told the id, the documented wire the name. */
function projectId({ projects }: AnalysisState, text: string): string {
  const project = projects.find(({ id }) => id === text) ?? projects.find(({ name }) => name === text);
  if (project === undefined) throw new Refusal(404, `Project ${text} does not exist`);
  return project.id;
}
