import type { Answered, Asked } from "../exchange.ts";
import { Refusal } from "../refusal.ts";
import type { World } from "../world.ts";
import type { AnalysisProject, AnalysisState } from "./state.ts";

interface Named {
  readonly name: string;
}

/** Whether a name is searched for: a substring, or with a leading plus the name itself. */
export function matches(name: string, search = ""): boolean {
  return search.startsWith("+") ? name === search.slice(1) : name.includes(search);
}

/** The record of this name. Throws `Refusal` 404 where there is none. */
export function find<R extends Named>(what: string, records: readonly R[], name: string): R {
  const record = records.find((other) => other.name === name);
  if (record === undefined) throw new Refusal(404, `${what} ${name} does not exist`);
  return record;
}

/** The project of this name. Throws `Refusal` 404 where there is none. */
export function findProject({ projects }: AnalysisState, name: string): AnalysisProject {
  return find("Project", projects, name);
}

/** What of a list belongs to a project, without saying so. */
export function within<R extends { readonly project: string }>(
  { id }: AnalysisProject,
  records: readonly R[],
): Omit<R, "project">[] {
  return records.filter(({ project }) => project === id).map(({ project: _project, ...record }) => record);
}

/** The record of this name in a project. Throws `Refusal` 404 where there is none. */
export function findIn<R extends Named & { readonly project: string }>(
  what: string,
  { id }: AnalysisProject,
  records: readonly R[],
  name: string,
): R {
  return find(
    what,
    records.filter(({ project }) => project === id),
    name,
  );
}

/** The list with one record in another's place. */
export function replace<R>(records: readonly R[], before: R, after: R): R[] {
  return records.map((record) => (record === before ? after : record));
}

/** A number that no record has yet. */
export function nextId(records: readonly { readonly id: number | string }[]): number {
  return Math.max(0, ...records.map(({ id }) => Number(id))) + 1;
}

/** Throws `Refusal` 409 where the name is taken, 400 where it is none. */
export function requireAbsent(what: string, records: readonly Named[], name: string): void {
  if (name.trim() === "") throw new Refusal(400, `${what} name is empty`);
  if (records.some((other) => other.name === name)) throw new Refusal(409, `${what} ${name} already exists`);
}

/** Throws `Refusal` 403 for who may not administer the server. */
export function requireAdmin({ account }: Asked): void {
  if (account?.rights !== "admin") throw new Refusal(403, `User ${account?.username} is not permitted to do this`);
}

/** The empty answer to a change. */
export function changed(world: World, changes: Partial<AnalysisState>): Answered {
  return { body: [], world: { ...world, analysis: { ...world.analysis, ...changes } } };
}
