import { z } from "zod";
import { describeIssues } from "../../core/text/issues.ts";
import type { ServiceRequest } from "../exchange.ts";
import { foundIn, Refusal } from "../refusal.ts";
import { mediaType } from "../request.ts";
import type { AnalysisProject, AnalysisState } from "./state.ts";

/** The length at which lists of issues, users and groups end by default; they cannot be continued. @see docs/facts.md, analysis */
export const defaultLimit = 1000;

/** Only `true` or `false`. */
const Flag = z.enum(["true", "false"]).transform((text) => text === "true");

/** Digits. */
const Count = z.string().regex(/^\d+$/, "expected a number").transform(Number);

/** A comma-separated list; a backslash escapes the next character. */
const Names = z
  .string()
  .transform((list) => (list.match(/(?:\\[\s\S]|[^,\\])+/g) ?? []).map((name) => name.replace(/\\([\s\S])/g, "$1")));

/** The fields of all actions: a name means the same in each. */
const Fields = z
  .object({
    account: z.string(),
    allow_all: Flag,
    allowed_status_transitions: z.string(),
    build: z.string(),
    code: z.string(),
    comment: z.string(),
    component: z.string(),
    enabled: Flag,
    feature: z.string(),
    group: Flag,
    id: Count,
    ids: z.string().regex(/^\d+(,\d+)*$/, "expected numbers with commas between"),
    is_public: Flag,
    keepit: Flag,
    limit: Count,
    list_users: Flag,
    name: z.string(),
    new_name: z.string(),
    owner: z.string(),
    paths: Names,
    project: z.string(),
    query: z.string(),
    remove: Flag,
    remove_all: Flag,
    search: z.string(),
    severity: Count,
    sourceAdmin: z.string(),
    sourceURL: z.url(),
    status: z.string(),
    summary: Flag,
    tags: Names,
    users: Names,
    view: z.string(),
    x: z.string(),
    y: z.string(),
  })
  .partial();
type Fields = z.infer<typeof Fields>;

/** Returns a request's form fields; none if the body is not a form. */
export function formFields(request: ServiceRequest): URLSearchParams {
  return new URLSearchParams(mediaType(request) === "application/x-www-form-urlencoded" ? request.body : "");
}

/** Reads an action's fields and ignores unknown ones. Throws `Refusal` 400 for an invalid field, or if a needed one is missing. */
export function readForm<Needed extends keyof Fields = never>(
  request: ServiceRequest,
  ...needed: readonly Needed[]
): Fields & { readonly [Name in Needed]: Exclude<Fields[Name], undefined> };
export function readForm(request: ServiceRequest, ...needed: readonly (keyof Fields)[]): Fields {
  const read = parsed(request, Fields);
  const missing = needed.find((name) => read[name] === undefined);
  if (missing !== undefined) throw new Refusal(400, `Invalid parameters: the form needs "${missing}"`);
  return read;
}

/** Reads those of the named fields that are sent, each of which is either on or off. */
export function readFlags(request: ServiceRequest, names: readonly string[]) {
  return parsed(request, z.object(Object.fromEntries(names.map((name) => [name, Flag.optional()]))));
}

function parsed<Schema extends z.ZodType>(request: ServiceRequest, schema: Schema): z.output<Schema> {
  const form = Object.fromEntries(formFields(request));
  const read = schema.safeParse(form);
  if (read.success) return read.data;
  throw new Refusal(400, `Invalid parameters: ${describeIssues(read.error.issues, form, "the form")}`);
}

interface Named {
  readonly name: string;
}

interface OfProject {
  readonly project: string;
}

/** Returns the record with a name. Throws `Refusal` 404 if there is none. */
export function find<R extends Named>(what: string, records: readonly R[], name: string): R {
  return foundIn(records, (other) => other.name === name, `${what} ${name} does not exist`);
}

/** Returns the project that the field `project` names. Throws `Refusal` 404 if there is none. */
export function projectOf(asked: ServiceRequest<AnalysisState>): AnalysisProject {
  return find("Project", asked.state.projects, readForm(asked, "project").project);
}

/** Returns the record of a project that the fields `project` and `name` name. Throws `Refusal` 404 if there is none. */
export function findOf<R extends OfProject & Named>(
  asked: ServiceRequest<AnalysisState>,
  what: string,
  records: readonly R[],
): R {
  return find(what, of(projectOf(asked), records), readForm(asked, "name").name);
}

/** Returns the records that belong to a project. */
export function of<R extends OfProject>({ id }: AnalysisProject, records: readonly R[]): R[] {
  return records.filter(({ project }) => project === id);
}

/** Returns the records that belong to a project, without the project's id. */
export function within<R extends OfProject>(owner: AnalysisProject, records: readonly R[]): Omit<R, "project">[] {
  return of(owner, records).map(({ project: _project, ...record }) => record);
}

/** Returns the name for a new record. Throws `Refusal` 409 if it is taken, 400 if it is blank. */
export function requireAbsent(what: string, records: readonly Named[], name: string): string {
  if (name.trim() === "") throw new Refusal(400, `${what} name is empty`);
  if (records.some((other) => other.name === name)) throw new Refusal(409, `${what} ${name} already exists`);
  return name;
}
