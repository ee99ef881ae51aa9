import { z } from "zod";
import type { Answers } from "../exchange.ts";
import { replace, wildcard, without } from "../lists.ts";
import { Refusal } from "../refusal.ts";
import { CountField, FlagField, find, NamesField, readForm, readName, requireAbsent } from "./form.ts";
import type { AnalysisState } from "./state.ts";

/** The length at which lists of users and groups end by default; they cannot be continued. @see docs/facts.md, analysis */
const defaultLimit = 1000;

/** `search` is a pattern here, unlike that of roles. @see docs/facts.md, Analysis: `search` of `users` and `groups` */
const searchFields = { search: z.string().default("*"), limit: CountField.default(defaultLimit) };

/** Users and groups. */
export const accountAnswers = {
  users(asked) {
    const { search, limit } = readForm(asked, searchFields);
    const { users, groups, assignments } = asked.state;
    const matches = wildcard(search);
    return {
      body: users
        .filter(({ name }) => matches(name))
        .slice(0, limit)
        .map((user) => ({
          ...user,
          roles: assignments.filter(({ account, group }) => !group && account === user.name).map(({ role }) => role),
          groups: groups.filter((group) => group.users.includes(user.name)).map(({ name }) => name),
        })),
    };
  },

  createUser(asked) {
    const { users } = asked.state;
    const name = requireAbsent("User", users, readName(asked));
    return { changes: { users: [...users, { name, readonly: false }] } };
  },

  deleteUser(asked) {
    const { users, groups, assignments } = asked.state;
    const user = find("User", users, readName(asked));
    return {
      changes: {
        users: without(users, user),
        groups: groups.map((group) => ({ ...group, users: without(group.users, user.name) })),
        assignments: assignments.filter(({ account, group }) => group || account !== user.name),
      },
    };
  },

  groups(asked) {
    const { search, limit, list_users } = readForm(asked, { ...searchFields, list_users: FlagField.default(false) });
    const matches = wildcard(search);
    const shown = asked.state.groups.filter(({ name }) => matches(name)).slice(0, limit);
    return { body: shown.map(({ users, ...group }) => (list_users ? { ...group, users } : group)) };
  },

  createGroup(asked) {
    const { groups } = asked.state;
    const name = requireAbsent("Group", groups, readName(asked));
    const { users } = readForm(asked, { users: NamesField.default([]) });
    return { changes: { groups: [...groups, { name, readonly: false, users: requireUsers(asked.state, users) }] } };
  },

  updateGroup(asked) {
    const { groups } = asked.state;
    const group = find("Group", groups, readName(asked));
    const { users, remove_all } = readForm(asked, {
      users: NamesField.optional(),
      remove_all: FlagField.default(false),
    });
    const members = users === undefined ? (remove_all ? [] : group.users) : requireUsers(asked.state, users);
    return { changes: { groups: replace(groups, group, { ...group, users: members }) } };
  },

  deleteGroup(asked) {
    const { groups, assignments } = asked.state;
    const group = find("Group", groups, readName(asked));
    return {
      changes: {
        groups: without(groups, group),
        assignments: assignments.filter((other) => !other.group || other.account !== group.name),
      },
    };
  },
} satisfies Answers<AnalysisState>;

/** Returns the given names without duplicates. Throws `Refusal` for an unknown user. */
function requireUsers({ users }: AnalysisState, names: readonly string[]): string[] {
  const unknown = names.filter((name) => !users.some((user) => user.name === name));
  if (unknown.length > 0) throw new Refusal(404, `User ${unknown.join(", ")} does not exist`);
  return [...new Set(names)];
}
