import { z } from "zod";

const Day = z.iso.date();

const terms = {
  project: z.string().min(1).optional(),
  branch: z.string().min(1).optional().describe("A branch, or an expression that begins with `^`."),
  after: Day.optional().describe("Changed on that day or later: `YYYY-MM-DD`."),
  before: Day.optional().describe("Changed before that day: `YYYY-MM-DD`."),
  is: z
    .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
    .optional()
    .describe("Such as `open`, `closed` or `abandoned`; of several all must hold."),
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

/** A word stands as it is; anything else is quoted, with a backslash before quotes and backslashes. */
function word(text: string): string {
  return /^\w[\w./-]*$/.test(text) ? text : `"${text.replace(/["\\]/g, "\\$&")}"`;
}
