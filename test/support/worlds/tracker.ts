import fc from "fast-check";
import { declarations, type Part } from "./parts.ts";

const zones = ["Europe/Oslo", "UTC"];
const locales = ["en_US", "de_DE"];

/** What accounts prefer; only the administrator's are the caller's own. */
export const tracker: Part = {
  world: fc
    .record(
      { "jira.user.timezone": fc.constantFrom(...zones), "jira.user.locale": fc.constantFrom(...locales) },
      { requiredKeys: [] },
    )
    .map((admin) => ({ tracker: { preferences: { admin, jdoe: { "jira.user.timezone": "Asia/Tokyo" } } } })),
  declared: fc
    .tuple(
      declarations("UserPreference", [{}], () => fc.record({ timezone: fc.constantFrom(...zones) }), ["timezone"]),
      declarations("UserPreference", [{}], () => fc.record({ locale: fc.constantFrom(...locales) }), ["locale"]),
    )
    .map((all) => all.flat()),
};
