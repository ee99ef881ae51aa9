import type { Answers, Asked } from "../exchange.ts";
import { replace, wildcard, without } from "../lists.ts";
import { found, Refusal } from "../refusal.ts";
import { defaultLimit, find, readFlags, readForm, requireAbsent } from "./form.ts";
import { type AnalysisRole, type AnalysisState, roleFlags } from "./state.ts";

/** Roles and their assignments, users and groups. */
export const accessAnswers = {
  roles(asked) {
    const { search } = readForm(asked);
    return { body: asked.state.roles.filter(({ name }) => isNamed(name, search)).map(viewRole) };
  },

  createRole(asked) {
    const { roles } = asked.state;
    const name = requireAbsent("Role", roles, readForm(asked, "name").name);
    const role = withSent({ name, permissions: [], allowed_status_transitions: "" }, asked);
    return { changes: { roles: [...roles, role] } };
  },

  deleteRole(asked) {
    const { roles, assignments } = asked.state;
    const role = find("Role", roles, readForm(asked, "name").name);
    return {
      changes: { roles: without(roles, role), assignments: assignments.filter((other) => other.role !== role.name) },
    };
  },

  updateRolePermissions(asked) {
    const { roles } = asked.state;
    const role = find("Role", roles, readForm(asked, "name").name);
    return { changes: { roles: replace(roles, role, withSent(role, asked)) } };
  },

  roleAssignments(asked) {
    const { search } = readForm(asked);
    const { roles, assignments } = asked.state;
    const shown = roles.filter(({ name }) => isNamed(name, search));
    const byRole = Map.groupBy(assignments, ({ role }) => role);
    return {
      body: shown.map(({ name }) => ({
        name,
        readonly: false,
        assignments: (byRole.get(name) ?? []).map(({ project, account, group }) => ({
          name: account,
          projectId: project,
          group,
        })),
      })),
    };
  },

  updateRoleAssignment(asked) {
    const { roles, groups, users, assignments } = asked.state;
    const { name: role, project, account, group = false, remove = false } = readForm(asked, "account", "name");
    find("Role", roles, role);
    find(group ? "Group" : "User", group ? groups : users, account);
    const id = project === undefined ? undefined : projectId(asked.state, project);
    const others = assignments.filter(
      (other) => other.role !== role || other.account !== account || other.group !== group || other.project !== id,
    );
    return { changes: { assignments: remove ? others : [...others, { role, account, group, project: id }] } };
  },

  /** Here and for groups, `search` is a pattern. @see docs/facts.md, Analysis: `search` of `users` and `groups` */
  users(asked) {
    const { search = "*", limit = defaultLimit } = readForm(asked);
    const { users, groups, assignments } = asked.state;
    const matches = wildcard(search);
    return {
      body: users
        .filter(({ name }) => matches(name))
        .slice(0, limit)
        .map((user) => ({
          ...user,
          roles: assignments
            .filter(({ account, group }) => !group && account === user.name)
            .map(({ role, project }) => ({ name: role, projectId: project })),
          groups: groups
            .filter((group) => group.users.includes(user.name))
            .map(({ name, readonly }) => ({ name, readonly })),
        })),
    };
  },

  createUser(asked) {
    const { users } = asked.state;
    const name = requireAbsent("User", users, readForm(asked, "name").name);
    return { changes: { users: [...users, { name, readonly: false }] } };
  },

  deleteUser(asked) {
    const { users, groups, assignments } = asked.state;
    const user = own("User", users, readForm(asked, "name").name);
    return {
      changes: {
        users: without(users, user),
        groups: groups.map((group) => ({ ...group, users: without(group.users, user.name) })),
        assignments: assignments.filter(({ account, group }) => group || account !== user.name),
      },
    };
  },

  groups(asked) {
    const { search = "*", limit = defaultLimit, list_users } = readForm(asked);
    const matches = wildcard(search);
    const shown = asked.state.groups.filter(({ name }) => matches(name)).slice(0, limit);
    return { body: shown.map(({ users, ...group }) => (list_users ? { ...group, users } : group)) };
  },

  createGroup(asked) {
    const { groups } = asked.state;
    const { name, users = [] } = readForm(asked, "name");
    requireAbsent("Group", groups, name);
    return { changes: { groups: [...groups, { name, readonly: false, users: requireUsers(asked.state, users) }] } };
  },

  updateGroup(asked) {
    const { groups } = asked.state;
    const { name, users, remove_all } = readForm(asked, "name");
    const group = own("Group", groups, name);
    const members = users === undefined ? (remove_all ? [] : group.users) : requireUsers(asked.state, users);
    return { changes: { groups: replace(groups, group, { ...group, users: members }) } };
  },

  deleteGroup(asked) {
    const { groups, assignments } = asked.state;
    const group = own("Group", groups, readForm(asked, "name").name);
    return {
      changes: {
        groups: without(groups, group),
        assignments: assignments.filter((other) => !other.group || other.account !== group.name),
      },
    };
  },
} satisfies Answers<AnalysisState>;

/** Finds what the server keeps itself. Throws `Refusal` for what a directory keeps. @see docs/facts.md, Analysis: of a directory */
function own<One extends { name: string; readonly: boolean }>(what: string, all: readonly One[], name: string): One {
  const one = find(what, all, name);
  if (one.readonly) throw new Refusal(403, `${what} ${name} is read-only`);
  return one;
}

/** Whether a name matches a search for a substring or, with a leading plus, for the whole name. */
function isNamed(name: string, search = ""): boolean {
  return search.startsWith("+") ? name === search.slice(1) : name.includes(search);
}

/** @see docs/facts.md, Analysis: records of roles */
function viewRole({ name, permissions, allowed_status_transitions }: AnalysisRole) {
  const pairs = allowed_status_transitions.split(";").filter((pair) => pair.trim() !== "");
  return {
    name,
    readonly: false,
    permissions: roleFlags.map((flag) => ({ name: flag, enabled: permissions.includes(flag) })),
    statusPermissions: pairs.map((pair) => {
      const [from, to] = pair.split(",").map((status) => status.trim());
      return { from, to };
    }),
  };
}

/** Returns the role with the fields that were sent; all others stay. */
function withSent(role: AnalysisRole, asked: Asked): AnalysisRole {
  const flags = readFlags(asked, roleFlags);
  const { allowed_status_transitions = role.allowed_status_transitions } = readForm(asked);
  const permissions = roleFlags.filter((flag) => flags[flag] ?? role.permissions.includes(flag));
  return { ...role, allowed_status_transitions, permissions };
}

/** Returns the id of a project given by id, as real servers take it, or by name, as documented. */
function projectId({ projects }: AnalysisState, text: string): string {
  const project = projects.find(({ id }) => id === text) ?? projects.find(({ name }) => name === text);
  return found(project, `Project ${text} does not exist`).id;
}

/** Returns the given names without duplicates. Throws `Refusal` for an unknown user. */
function requireUsers({ users }: AnalysisState, names: readonly string[]): string[] {
  const unknown = names.filter((name) => !users.some((user) => user.name === name));
  if (unknown.length > 0) throw new Refusal(404, `User ${unknown.join(", ")} does not exist`);
  return [...new Set(names)];
}
