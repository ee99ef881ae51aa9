import { z } from "zod";

/** @see docs/facts.md, artifacts: characters that a name may not contain, and |, which has no escape in a name */
const PropertyName = z
  .string()
  .regex(
    /^[^)(}{\][*+^$\\/~`!@#%&<>;=,±§| ]+$/,
    "expected a property name without spaces and )(}{][*+^$\\/~`!@#%&<>;=,±§|",
  );

/** A value may hold anything but what separates groups and has no escape. */
const PropertyValue = z.string().regex(/^[^;]*$/, "a property value cannot hold a ;, which separates properties");

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

/** Names as an argument: a list, or the comma list that is sent. */
export const PropertyNames = z.union([
  z.string(),
  z
    .array(PropertyName)
    .min(1)
    .transform((names) => names.join(",")),
]);

/** A backslash goes before what would separate. @see docs/facts.md, artifacts */
function joinProperties(properties: Readonly<Record<string, readonly string[]>>): string {
  const escaped = (text: string) => text.replace(/[\\,|=]/g, "\\$&");
  return Object.entries(properties)
    .map(([name, values]) => `${name}=${values.map(escaped).join(",")}`)
    .join("|");
}
