import { z } from "zod";

const Scalar = z.union([z.string(), z.number(), z.boolean()]);

/** Conditions on one field, all of which must hold. Relative times, such as `4w` or `3days`, reach back from now. */
const Comparison = z.strictObject({
  $eq: Scalar.optional(),
  $ne: Scalar.optional(),
  $gt: Scalar.optional(),
  $gte: Scalar.optional(),
  $lt: Scalar.optional(),
  $lte: Scalar.optional(),
  $match: z.string().describe("A pattern: `*` matches any text, `?` any character.").optional(),
  $nmatch: z.string().optional(),
  $before: z.string().describe("Earlier than this long ago.").optional(),
  $last: z.string().describe("Not earlier than this long ago.").optional(),
});

/** Which records are wanted: conditions by field (`@name` is a property), and `$and`, `$or` and `$msp` of others. */
export interface Criteria {
  readonly [name: string]: z.infer<typeof Scalar> | z.infer<typeof Comparison> | readonly Criteria[] | undefined;
}
const Criteria: z.ZodType<Criteria, Criteria> = z
  .object({
    get $and() {
      return z.array(Criteria).optional();
    },
    get $or() {
      return z.array(Criteria).optional();
    },
    /** Conditions that one property value must meet together. */
    get $msp() {
      return z.array(Criteria).optional();
    },
  })
  .catchall(z.union([Scalar, Comparison]));

const Fields = z.array(z.string()).min(1);

/** A query of the artifact repository as data. @see docs/api/artifacts.md, query language */
export const ArtifactQuery = z.strictObject({
  find: z.enum(["items", "builds"]),
  where: Criteria.default({}),
  include: Fields.describe("Fields of the answer; `property` adds the properties.").optional(),
  sort: z.union([z.strictObject({ asc: Fields }), z.strictObject({ desc: Fields })]).optional(),
  offset: z.int().min(0).optional(),
  limit: z.int().min(1).optional(),
});
export type ArtifactQuery = z.input<typeof ArtifactQuery>;

/**
 * Writes a query as text, with values as JSON. The server reads no escapes: a value with a quotation mark can change the query,
 * so whoever uses an answer checks that it is what was asked for. @see docs/facts.md, artifacts: the text of a query
 */
export function queryText({ find, where = {}, include, sort, offset, limit }: ArtifactQuery): string {
  const order = sort && ("asc" in sort ? { $asc: sort.asc } : { $desc: sort.desc });
  return [
    `${find}.find(${JSON.stringify(where)})`,
    include && `include(${include.map((field) => JSON.stringify(field)).join(",")})`,
    order && `sort(${JSON.stringify(order)})`,
    offset !== undefined && `offset(${offset})`,
    limit !== undefined && `limit(${limit})`,
  ]
    .filter(Boolean)
    .join(".");
}
