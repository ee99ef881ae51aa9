import { z } from "zod";
import { pageList } from "../http/pages.ts";
import type { ChangeRecord, ProjectsRecord } from "./records.ts";

const Day = z.iso.date();

const terms = {
  project: z.string().min(1).optional(),
  branch: z.string().min(1).optional().describe("A branch, or an expression that begins with `^`."),
  after: Day.optional().describe("Changed on or after this day: `YYYY-MM-DD`."),
  before: Day.optional().describe("Changed before this day: `YYYY-MM-DD`."),
  is: z
    .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
    .optional()
    .describe("For example `open`, `closed` or `abandoned`; several must all hold."),
};

/** What changes are searched for: all terms must hold, and none of those under `not`. */
const ChangeTerms = z
  .strictObject({ ...terms, not: z.strictObject(terms).optional() })
  .refine(({ not, ...rest }) => [rest, not ?? {}].some((side) => Object.keys(side).length > 0), "expected a term");
type ChangeTerms = z.infer<typeof ChangeTerms>;

/** A query as an argument: text in the service's own language, or the terms it is composed of. */
export const ChangeQuery = z.union([z.string().min(1), ChangeTerms.transform(changeQuery)]);

/**
 * Writes a query: `project:platform/core is:closed -is:abandoned`.
 * @see docs/api/review.md, change query
 */
function changeQuery({ not, ...wanted }: ChangeTerms): string {
  return [...termsOf(wanted), ...termsOf(not ?? {}).map((term) => `-${term}`)].join(" ");
}

function termsOf(wanted: Omit<ChangeTerms, "not">): readonly string[] {
  return Object.entries(wanted).flatMap(([name, value]) => [value ?? []].flat().map((one) => `${name}:${word(one)}`));
}

/** A word is sent as it is; anything else is quoted, with a backslash before quotes and backslashes. */
function word(text: string): string {
  return /^\w[\w./-]*$/.test(text) ? text : `"${text.replace(/["\\]/g, "\\$&")}"`;
}

interface Paged {
  readonly S?: number | undefined;
}

/**
 * Reads a query's pages until the last change no longer says `_more_changes`.
 * @see docs/facts.md, review
 */
export const changePages = {
  cap: "n",
  next: <Args extends Paged>(args: Args, page: readonly ChangeRecord[]) =>
    page.at(-1)?._more_changes === true ? after(args, page.length) : undefined,
  list: (first: ChangeRecord[]) =>
    pageList(first, {
      entries: (page) => page,
      identify: ({ _number }) => _number,
      whole: (changes) => changes.map(({ _more_changes: _mark, ...change }) => change),
    }),
} as const;

/**
 * Reads the list of projects until the last one no longer says `_more_projects`, or one from the server's index until a page
 * is empty. Only records from there have a `name`. @see docs/facts.md, Review: a list from the index
 */
export const projectPages = {
  cap: "n",
  next<Args extends Paged>(args: Args, page: ProjectsRecord) {
    const projects = Object.values(page);
    const mayGoOn = projects.some(({ name, _more_projects }) => _more_projects || name !== undefined);
    return mayGoOn ? after(args, projects.length) : undefined;
  },
  list: (first: ProjectsRecord) =>
    pageList(first, {
      entries: (page) => Object.entries(page),
      identify: ([name]) => name,
      whole: (projects) =>
        Object.fromEntries(projects.map(([name, { _more_projects: _mark, ...project }]) => [name, project])),
    }),
} as const;

function after<Args extends Paged>(args: Args, length: number): Args {
  return { ...args, S: (args.S ?? 0) + length };
}
