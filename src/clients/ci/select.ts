import { z } from "zod";

/** A field of a `tree`: its name, or its name with the fields below it and, for a list, the entries `from` up to `to`. */
export type TreeField =
  | string
  | {
      readonly field: string;
      readonly of?: readonly TreeField[];
      readonly range?: readonly [from: number, to: number];
    };

const FieldName = z.string().regex(/^(\*|[A-Za-z_]\w*)$/, "expected the name of a field, or *");
const TreeField: z.ZodType<TreeField, TreeField> = z.lazy(() =>
  z.union([
    FieldName,
    z.strictObject({
      field: FieldName,
      of: z.array(TreeField).min(1).exactOptional(),
      range: z.tuple([z.int().min(0), z.int().min(0)]).exactOptional(),
    }),
  ]),
);

/** Which fields to return: as data, or as the server's own text, such as `builds[id,number]`. */
export const TreeSelection = z.union([z.string().min(1), z.array(TreeField).min(1).transform(treeText)]);

/** Writes a selection as the server reads it: `["name", { field: "builds", of: ["id"] }]` is `name,builds[id]`. */
export function treeText(fields: readonly TreeField[]): string {
  return fields
    .map((entry) => {
      if (typeof entry === "string") return entry;
      const below = entry.of === undefined ? "" : `[${treeText(entry.of)}]`;
      const range = entry.range === undefined ? "" : `{${entry.range.join(",")}}`;
      return `${entry.field}${below}${range}`;
    })
    .join(",");
}

const XPathStep = z.union([FieldName, z.strictObject({ element: FieldName, where: z.record(FieldName, z.string()) })]);
type XPathStep = z.infer<typeof XPathStep>;

/** Which elements to return: as steps from the root down, or as the expression itself. */
export const XPath = z.union([z.string().min(1), z.array(XPathStep).min(1).transform(xpathText)]);

/**
 * Writes steps as an expression: `["build", { element: "action", where: { name: "X" } }]` is `/build/action[name='X']`.
 * Text is only ever compared with, never read as syntax.
 */
export function xpathText(steps: readonly XPathStep[]): string {
  return steps
    .map((step) => {
      if (typeof step === "string") return `/${step}`;
      const conditions = Object.entries(step.where).map(([child, text]) => `[${child}=${xpathLiteral(text)}]`);
      return `/${step.element}${conditions.join("")}`;
    })
    .join("");
}

/** XPath 1.0 has no escapes, so text with both kinds of quotes is concatenated. */
function xpathLiteral(text: string): string {
  if (!text.includes("'")) return `'${text}'`;
  if (!text.includes('"')) return `"${text}"`;
  return `concat(${text
    .split("'")
    .map((part) => `'${part}'`)
    .join(`,"'",`)})`;
}
