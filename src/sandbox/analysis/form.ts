import { z } from "zod";
import { describeIssues } from "../../core/text/issues.ts";
import type { ServiceRequest } from "../exchange.ts";
import { foundIn, Refusal } from "../refusal.ts";
import { mediaType } from "../request.ts";
import type { AnalysisProject, AnalysisState } from "./state.ts";

/** A boolean field: only `true` or `false`. */
export const FlagField = z.enum(["true", "false"]).transform((text) => text === "true");

/** A number field: digits. */
export const CountField = z.string().regex(/^\d+$/, "expected a number").transform(Number);

/** A field with a comma-separated list; a backslash escapes the next character. */
export const NamesField = z
  .string()
  .transform((list) => (list.match(/(?:\\[\s\S]|[^,\\])+/g) ?? []).map((name) => name.replace(/\\([\s\S])/g, "$1")));

/** Returns a request's form fields; none if the body is not a form. */
export function formFields(request: ServiceRequest): URLSearchParams {
  return new URLSearchParams(mediaType(request) === "application/x-www-form-urlencoded" ? request.body : "");
}

/** Reads an action's fields and ignores unknown ones. Throws `Refusal` 400 for a field that is missing or invalid. */
export function readForm<Fields extends z.ZodRawShape>(
  request: ServiceRequest,
  fields: Fields,
): z.output<z.ZodObject<Fields>> {
  const form = Object.fromEntries(formFields(request));
  const read = z.object(fields).safeParse(form);
  if (read.success) return read.data;
  throw new Refusal(400, `Invalid parameters: ${describeIssues(read.error.issues, form, "the form")}`);
}

/** Reads the field `name`. */
export function readName(request: ServiceRequest): string {
  return readForm(request, { name: z.string() }).name;
}

interface Named {
  readonly name: string;
}

/** Whether a name matches a search for a substring or, with a leading plus, for the whole name. */
export function matches(name: string, search = ""): boolean {
  return search.startsWith("+") ? name === search.slice(1) : name.includes(search);
}

/** Returns the record with a name. Throws `Refusal` 404 if there is none. */
export function find<R extends Named>(what: string, records: readonly R[], name: string): R {
  return foundIn(records, (other) => other.name === name, `${what} ${name} does not exist`);
}

/** Returns the project that the field `project` names. Throws `Refusal` 404 if there is none. */
export function projectOf(asked: ServiceRequest<AnalysisState>): AnalysisProject {
  return find("Project", asked.state.projects, readForm(asked, { project: z.string() }).project);
}

/** Returns the records that belong to a project. */
export function of<R extends { readonly project: string }>({ id }: AnalysisProject, records: readonly R[]): R[] {
  return records.filter(({ project }) => project === id);
}

/** Returns the records that belong to a project, without the project's id. */
export function within<R extends { readonly project: string }>(
  owner: AnalysisProject,
  records: readonly R[],
): Omit<R, "project">[] {
  return of(owner, records).map(({ project: _project, ...record }) => record);
}

/** Returns the name for a new record. Throws `Refusal` 409 if it is taken, 400 if it is blank. */
export function requireAbsent(what: string, records: readonly Named[], name: string): string {
  if (name.trim() === "") throw new Refusal(400, `${what} name is empty`);
  if (records.some((other) => other.name === name)) throw new Refusal(409, `${what} ${name} already exists`);
  return name;
}
