import { z } from "zod";
import type { Answer } from "../exchange.ts";
import { Refusal } from "../refusal.ts";
import { CountField, FlagField, NamesField, readForm } from "./form.ts";
import { changed, find, matches, requireAbsent, requireAdmin } from "./records.ts";
import type { AnalysisState } from "./state.ts";

/** Without a limit, lists of users and groups end here and cannot be continued. @see docs/facts.md, analysis */
const defaultLimit = 1000;

const searchFields = { search: z.string().optional(), limit: CountField.default(defaultLimit) };

/** Users and groups. */
export const accountAnswers = {
  users(world, asked) {
    const { search, limit } = readForm(asked, searchFields);
    const found = world.analysis.users.filter(({ name }) => matches(name, search)).slice(0, limit);
    return { body: found.map(({ name, readonly }) => ({ name, readonly, ...membershipsOf(world.analysis, name) })) };
  },

  createUser(world, asked) {
    requireAdmin(asked);
    const { name } = readForm(asked, { name: z.string() });
    requireAbsent("User", world.analysis.users, name);
    return changed(world, { users: [...world.analysis.users, { name, readonly: false }] });
  },

  deleteUser(world, asked) {
    requireAdmin(asked);
    const { name } = readForm(asked, { name: z.string() });
    const { users, groups, assignments } = world.analysis;
    find("User", users, name);
    return changed(world, {
      users: users.filter((user) => user.name !== name),
      groups: groups.map((group) => ({ ...group, users: group.users.filter((member) => member !== name) })),
      assignments: assignments.filter(({ account, group }) => group || account !== name),
    });
  },

  groups(world, asked) {
    const { search, limit, list_users } = readForm(asked, { ...searchFields, list_users: FlagField.default(false) });
    const found = world.analysis.groups.filter(({ name }) => matches(name, search)).slice(0, limit);
    return { body: found.map(({ users, ...group }) => (list_users ? { ...group, users } : group)) };
  },

  createGroup(world, asked) {
    requireAdmin(asked);
    const { name, users } = readForm(asked, { name: z.string(), users: NamesField.default([]) });
    requireAbsent("Group", world.analysis.groups, name);
    const group = { name, readonly: false, users: requireUsers(world.analysis, users) };
    return changed(world, { groups: [...world.analysis.groups, group] });
  },

  updateGroup(world, asked) {
    requireAdmin(asked);
    const { name, users, remove_all } = readForm(asked, {
      name: z.string(),
      users: NamesField.optional(),
      remove_all: FlagField.default(false),
    });
    const group = find("Group", world.analysis.groups, name);
    const members = users === undefined ? (remove_all ? [] : group.users) : requireUsers(world.analysis, users);
    const groups = world.analysis.groups.map((other) => (other === group ? { ...group, users: members } : other));
    return changed(world, { groups });
  },

  deleteGroup(world, asked) {
    requireAdmin(asked);
    const { name } = readForm(asked, { name: z.string() });
    const { groups, assignments } = world.analysis;
    find("Group", groups, name);
    return changed(world, {
      groups: groups.filter((group) => group.name !== name),
      assignments: assignments.filter(({ account, group }) => !group || account !== name),
    });
  },
} satisfies Record<string, Answer>;

function membershipsOf({ groups, assignments }: AnalysisState, user: string) {
  return {
    roles: assignments.filter(({ account, group }) => !group && account === user).map(({ role }) => role),
    groups: groups.filter(({ users }) => users.includes(user)).map(({ name }) => name),
  };
}

/** The named users, each once. Throws `Refusal` for one that is no user. */
function requireUsers({ users }: AnalysisState, names: readonly string[]): string[] {
  const unknown = names.filter((name) => !users.some((user) => user.name === name));
  if (unknown.length > 0) throw new Refusal(404, `User ${unknown.join(", ")} does not exist`);
  return [...new Set(names)];
}
