import { z } from "zod";
import { propertyName, propertyValue } from "../../core/text/property-name.ts";
import { commaList } from "../table.ts";

/** 0 or 1, or a boolean instead. */
export const Bit = z.union([z.boolean(), z.literal([0, 1])]).transform(Number);

/** A path in a repository. Empty names, `.` and `..` are refused: a server might resolve them to another item. */
const ItemPath = z
  .string()
  .refine((path) => path.split("/").every((name) => !["", ".", ".."].includes(name)), "expected names separated by /");

/** Where an item is. */
export const ItemPlace = { repoKey: z.string(), path: ItemPath };

/** Where a folder is. */
export const FolderPlace = {
  ...ItemPlace,
  path: z
    .union([ItemPath, z.literal("").transform(() => undefined)])
    .optional()
    .describe("Default: the root of the repository."),
};

/** The argument of an item's place that can be several segments. */
export const nestedPath = { path: "/" };

const PropertyName = z
  .string()
  .regex(propertyName, "expected a property name: a letter first, and no spaces and )(}{][*+^$\\/~`!@#%&<>;=,±§|");

const PropertyValue = z
  .string()
  .regex(propertyValue, "a property value cannot contain a ;, or end with a backslash or a space");

/**
 * Properties as an argument: values by name, or the text that is sent, `name=value1,value2|other=value`.
 * @see docs/api/artifacts.md, property text
 */
export const PropertySet = z.union([
  z.string(),
  z
    .record(PropertyName, z.array(PropertyValue).min(1))
    .refine((properties) => Object.keys(properties).length > 0, "expected at least one property")
    .transform(joinProperties),
]);

/** Names of properties that exist, whatever the rules were when they were set. */
export const PropertyNames = commaList(z.array(z.string().regex(/^[^,]+$/, "expected a name without commas")).min(1));

/** Writes properties as text, with a backslash before each separator. @see docs/facts.md, artifacts: a backslash goes before */
function joinProperties(properties: Readonly<Record<string, readonly string[]>>): string {
  const escaped = (text: string) => text.replace(/[,|=]/g, "\\$&");
  return Object.entries(properties)
    .map(([name, values]) => `${name}=${values.map(escaped).join(",")}`)
    .join("|");
}
