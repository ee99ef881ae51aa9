import { z } from "zod";
import type { TrackerOperations, TrackerReader } from "../../clients/tracker/operations.ts";
import { callOf } from "../../core/call.ts";
import type { Kind } from "../../core/kind.ts";
import { unlessMissing } from "../../core/problem.ts";
import { own } from "../../core/text/json.ts";
import { Text } from "../shared/fields.ts";
import { observeEach } from "../shared/told.ts";

const call = callOf<TrackerOperations>();

/**
 * The tracker's names for the preferences that have a field of their own. The locale is read and written as a preference too,
 * because only the documents have a path for it. @see docs/facts.md, Tracker: the locale is the preference
 */
const ownFields = { timezone: "jira.user.timezone", locale: "jira.user.locale" } as const;
const reserved = Object.entries(ownFields).flat();

const UserPreference = z
  .strictObject({
    timezone: Text.optional().describe("The account's time zone, such as `Europe/Oslo`."),
    locale: z
      .string()
      .regex(/^[A-Za-z]{2,3}(_[A-Za-z0-9]+)*$/, "expected a locale, such as en_US")
      .optional()
      .describe("The account's language, such as `en_US`."),
    key: Text.refine((key) => !reserved.includes(key), "expected another key: set timezone or locale instead")
      .optional()
      .describe("The tracker's key of any other preference, such as `user.notifications.mimetype`."),
    value: Text.optional().describe("The value of the preference `key`, as text."),
  })
  .refine(
    ({ timezone, locale, key, value }) =>
      [timezone, locale, key].filter((one) => one !== undefined).length === 1 &&
      (key === undefined) === (value === undefined),
    "expected either timezone, locale, or key with value: each preference needs its own document",
  )
  .meta({
    minProperties: 1,
    dependencies: { key: ["value"], value: ["key"], timezone: { maxProperties: 1 }, locale: { maxProperties: 1 } },
  });
type UserPreference = z.infer<typeof UserPreference>;

/** A preference of the account that runs setpoint. */
export const userPreference: Kind<UserPreference, TrackerOperations, undefined> = {
  kind: "UserPreference",
  role: "tracker",
  summary: "A preference of the account that setpoint uses: its time zone, its locale, or any other by its key.",
  spec: UserPreference,
  budget: { reads: "1 getPreference each", writes: "1 setPreference each" },
  notes: `An account can set only its own preferences. They matter for a service account because searches interpret days in
its time zone. The API documents have no operation that removes a preference, or lists them: an import finds the time zone and
the locale, if the account has set them. Which keys exist is not documented either: a misspelt one might be stored and have no effect.`,
  permanent: true,
  ofAccount: true,
  key: keyOf,
  scope: () => "own preferences",

  observe: (read, _scope, wanted) =>
    observeEach(wanted, userPreference, async (stated) => {
      const spec = await livePreference(read, keyOf(stated));
      return spec === undefined ? { is: "absent", marker: undefined } : { is: "present", spec, marker: undefined };
    }),

  async list(read) {
    const found = await Promise.all(Object.keys(ownFields).map((key) => livePreference(read, key)));
    return found.filter((spec) => spec !== undefined);
  },

  compile: (changes) =>
    changes.flatMap((change) => {
      if (change.action === "delete") return [];
      const { timezone, locale, value = timezone ?? locale ?? "" } = change.desired;
      return [call("setPreference", { key: nameOf(keyOf(change.desired)), value }, [change])];
    }),
};

function keyOf({ timezone, key = timezone === undefined ? "locale" : "timezone" }: UserPreference): string {
  return key;
}

function nameOf(key: string): string {
  return own(ownFields, key) ?? key;
}

/** Returns a preference as a manifest states it; undefined if unset. @see docs/facts.md, tracker: a preference that is not set is 404 */
async function livePreference(read: TrackerReader, key: string): Promise<UserPreference | undefined> {
  const value = await unlessMissing(read.getPreference({ key: nameOf(key) }));
  if (value === undefined) return undefined;
  return Object.hasOwn(ownFields, key) ? { [key]: value } : { key, value };
}
