import { z } from "zod";
import type { Answers, Asked } from "../exchange.ts";
import { replace, without } from "../lists.ts";
import { found } from "../refusal.ts";
import { FlagField, find, matches, readForm, readName, requireAbsent } from "./form.ts";
import { type AnalysisAssignment, type AnalysisRole, type AnalysisState, roleFlags } from "./state.ts";

const flagFields = Object.fromEntries(roleFlags.map((flag) => [flag, FlagField.optional()]));

/** Roles and their assignments. */
export const roleAnswers = {
  roles(asked) {
    const { search } = readForm(asked, { search: z.string().optional() });
    return { body: asked.state.roles.filter(({ name }) => matches(name, search)).map(viewRole) };
  },

  createRole(asked) {
    const { roles } = asked.state;
    const name = requireAbsent("Role", roles, readName(asked));
    const role = withSent({ name, permissions: [], allowed_status_transitions: "" }, asked);
    return { changes: { roles: [...roles, role] } };
  },

  deleteRole(asked) {
    const { roles, assignments } = asked.state;
    const role = find("Role", roles, readName(asked));
    return {
      changes: { roles: without(roles, role), assignments: assignments.filter((other) => other.role !== role.name) },
    };
  },

  updateRolePermissions(asked) {
    const { roles } = asked.state;
    const role = find("Role", roles, readName(asked));
    return { changes: { roles: replace(roles, role, withSent(role, asked)) } };
  },

  roleAssignments(asked) {
    const { search } = readForm(asked, { search: z.string().optional() });
    const shown = asked.state.assignments.filter(({ role }) => matches(role, search));
    return { body: shown.map((assignment) => viewAssignment(asked.state, assignment)) };
  },

  updateRoleAssignment(asked) {
    const { roles, groups, users, assignments } = asked.state;
    const { project, account, group, remove } = readForm(asked, {
      project: z.string().optional(),
      account: z.string(),
      group: FlagField.default(false),
      remove: FlagField.default(false),
    });
    const { name: role } = find("Role", roles, readName(asked));
    find(group ? "Group" : "User", group ? groups : users, account);
    const id = project === undefined ? undefined : projectId(asked.state, project);
    const others = assignments.filter(
      (other) => other.role !== role || other.account !== account || other.group !== group || other.project !== id,
    );
    const assignment = { role, account, group, ...(id === undefined ? {} : { project: id }) };
    return { changes: { assignments: remove ? others : [...others, assignment] } };
  },
} satisfies Answers<AnalysisState>;

function viewRole({ name, permissions, allowed_status_transitions }: AnalysisRole) {
  const flags = Object.fromEntries(roleFlags.map((flag) => [flag, permissions.includes(flag)]));
  return { name, ...flags, allowed_status_transitions };
}

/** Returns the role with the fields that were sent; all others stay. */
function withSent(role: AnalysisRole, asked: Asked): AnalysisRole {
  const flags = readForm(asked, flagFields);
  const sent = readForm(asked, { allowed_status_transitions: z.string().exactOptional() });
  const permissions = roleFlags.filter((flag) => flags[flag] ?? role.permissions.includes(flag));
  return { ...role, ...sent, permissions };
}

function viewAssignment({ projects }: AnalysisState, { role, project, account, group }: AnalysisAssignment) {
  const named = projects.find(({ id }) => id === project);
  return { name: role, project: named?.name, project_id: named?.id, account, group };
}

/** Returns the id of a project given by id, as real servers take it, or by name, as documented. */
function projectId({ projects }: AnalysisState, text: string): string {
  const project = projects.find(({ id }) => id === text) ?? projects.find(({ name }) => name === text);
  return found(project, `Project ${text} does not exist`).id;
}
