import { z } from "zod";
import { isObject, sameJson } from "../../core/text/json.ts";
import { withUnclear } from "../unclear.ts";
import { Id, RoleFlags, underOneName } from "./records.ts";

/** `'From,To'` pairs separated by `;`, or a list of pairs. */
const Transitions = z.preprocess(
  (value) =>
    typeof value === "string"
      ? value
          .split(";")
          .filter((pair) => pair.trim() !== "")
          .map((pair) => {
            const [from, to, ...more] = pair.split(",").map((part) => part.trim());
            return more.length === 0 ? { from, to } : pair;
          })
      : value,
  z.array(z.strictObject({ from: z.string(), to: z.string() })),
);

/**
 * A role. A flag is in the record itself or in `permissions`. It is undefined if the record does not state it in a form
 * that is understood, or states it twice with different values.
 * @see docs/facts.md, Analysis: records of roles
 */
export const RoleRecord = z.preprocess(
  (value) => {
    const role = underOneName(value, "allowed_status_transitions", "statusPermissions");
    return isObject(role) && "permissions" in role ? { ...role, ...flagsOf(role) } : role;
  },
  withUnclear(z.looseObject({ name: z.string(), ...RoleFlags, allowed_status_transitions: Transitions.optional() })),
);
export type RoleRecord = z.infer<typeof RoleRecord>;

/**
 * Returns the flags that the record itself and its `permissions` state. A list of nothing but names is complete: the
 * other flags are off.
 */
function flagsOf({ permissions, ...role }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const entries: readonly unknown[] = Array.isArray(permissions) ? permissions : [permissions];
  const flags = Object.keys(RoleFlags);
  const isWhole =
    Array.isArray(permissions) &&
    entries.every((entry) => flags.some((flag) => sameJson(entry, flag) || sameJson(entry, { name: flag })));
  const said = entries.flatMap(saidBy);
  return Object.fromEntries(
    flags.flatMap((flag) => {
      const [one, ...others] = [role[flag], ...said.filter(([name]) => name === flag).map(([, value]) => value)].filter(
        (value) => value !== undefined,
      );
      if (one === undefined) return isWhole ? [[flag, false]] : [];
      return [[flag, others.every((other) => sameJson(one, other)) ? one : [one, ...others]]];
    }),
  );
}

/**
 * Returns what one of the `permissions` states. A name alone is on; a named object in an unknown form is returned under
 * its name.
 */
function saidBy(entry: unknown): readonly (readonly [string, unknown])[] {
  if (typeof entry === "string") return [[entry, true]];
  if (!isObject(entry)) return [];
  const { name, ...rest } = entry;
  if (typeof name !== "string") return Object.entries(entry);
  const [only = ["value", true], ...more] = Object.entries(rest);
  return [[name, more.length === 0 && /^(value|enabled)$/.test(only[0]) ? only[1] : entry]];
}

/** Who has which role where. No field is required, because none may be guessed. */
export const RoleAssignmentRecord = z.preprocess(
  (value) => underOneName(underOneName(value, "name", "role"), "project_id", "projectId"),
  withUnclear(
    z.strictObject({
      name: z.string().optional(),
      project: z.string().nullish(),
      // An empty id names no project, like none.
      project_id: z.preprocess((id) => (id === "" ? null : id), Id.nullish()),
      account: z.string().optional(),
      group: z.boolean().optional(),
    }),
  ),
);
export type RoleAssignmentRecord = z.infer<typeof RoleAssignmentRecord>;

/**
 * Who has which role where, one record for each assignment. The server lists them by role, and names in each only the
 * account and the project.
 * @see docs/facts.md, Analysis: role assignments are listed by role
 */
export const RoleAssignmentList = z.preprocess(
  (records) => (Array.isArray(records) ? records.flatMap(assignmentsIn) : records),
  z.array(RoleAssignmentRecord),
);

/** Returns the assignments in a record of a role; the record itself if it does not list them. */
function assignmentsIn(record: unknown): readonly unknown[] {
  if (!isObject(record) || !Array.isArray(record.assignments)) return [record];
  const { assignments, readonly: _readonly, ...role } = record;
  return assignments.map((entry: unknown) => {
    const where = underOneName(entry, "account", "name");
    return isObject(where) ? { ...role, ...where, name: role.name } : { ...role, assignment: entry };
  });
}
