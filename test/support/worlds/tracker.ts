import fc from "fast-check";
import { declarations, type Part } from "./parts.ts";

const zones = ["Europe/Oslo", "UTC"];
const locales = ["en_US", "de_DE"];

/** A preference that has no field of its own. */
const other = "user.ü &/x";

/** Preferences of accounts; the caller is the administrator. */
export const tracker: Part = {
  world: fc
    .record(
      {
        "jira.user.timezone": fc.constantFrom(...zones),
        "jira.user.locale": fc.constantFrom(...locales),
        [other]: fc.constantFrom("text", "ü"),
      },
      { requiredKeys: [] },
    )
    .map((admin) => ({ tracker: { preferences: { admin, jdoe: { "jira.user.timezone": "Asia/Tokyo" } } } })),
  declared: fc
    .tuple(
      declarations("UserPreference", [{}], () => fc.record({ timezone: fc.constantFrom(...zones) }), ["timezone"]),
      declarations("UserPreference", [{ key: other }], () => fc.record({ value: fc.constantFrom("text", 'a "b"') }), [
        "value",
      ]),
      declarations("UserPreference", [{}], () => fc.record({ locale: fc.constantFrom(...locales) }), ["locale"]),
    )
    .map((all) => all.flat()),
  untouched: ({ tracker: { preferences: stored } }, isFree) =>
    Object.entries(stored).map(([account, preferences]) => [
      account,
      Object.entries(preferences).filter(
        ([key]) => account !== "admin" || isFree("UserPreference", key.replace("jira.user.", "")),
      ),
    ]),
};
