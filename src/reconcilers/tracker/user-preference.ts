import { z } from "zod";
import type { TrackerOperations, TrackerReader } from "../../clients/tracker/operations.ts";
import { callOf } from "../../core/call.ts";
import type { Observation } from "../../core/change.ts";
import type { Kind } from "../../core/kind.ts";
import { unlessMissing } from "../../core/problem.ts";

const call = callOf<TrackerOperations>();

const UserPreference = z
  .strictObject({
    timezone: z.string().min(1).optional().describe("The account's time zone, such as `Europe/Oslo`."),
    locale: z
      .string()
      .regex(/^[A-Za-z]{2,3}(_[A-Za-z0-9]+)*$/, "expected a locale, such as en_US")
      .optional()
      .describe("The account's language, such as `en_US`."),
  })
  .refine(
    ({ timezone, locale }) => (timezone === undefined) !== (locale === undefined),
    "expected either timezone or locale: each needs its own document",
  )
  .meta({ minProperties: 1, maxProperties: 1 });
type UserPreference = z.infer<typeof UserPreference>;

type Key = keyof UserPreference;

/** The tracker's name for the preference that has no operation of its own. */
const timezoneKey = "jira.user.timezone";

/** A preference of the account that runs setpoint. */
export const userPreference: Kind<UserPreference, TrackerOperations, undefined> = {
  kind: "UserPreference",
  role: "tracker",
  summary: "A preference of the account that setpoint uses: its time zone or its locale.",
  spec: UserPreference,
  budget: { reads: "1 getPreference or getLocale each", writes: "1 setPreference or setLocale each" },
  notes: `An account can set only its own preferences. They matter for a service account because searches interpret days in
its time zone. The API documents have no operation that removes a preference.`,
  permanent: true,
  key: keyOf,
  scope: () => "own preferences",

  async observe(read, _scope, wanted) {
    const keys = [...new Set(wanted.map(keyOf))];
    return new Map(
      await Promise.all(
        keys.map(async (key): Promise<[string, Observation<UserPreference, undefined>]> => {
          const value = await preferenceOf(read, key);
          if (value === undefined) return [key, { is: "absent", marker: undefined }];
          return [key, { is: "present", spec: { [key]: value }, marker: undefined }];
        }),
      ),
    );
  },

  async list(read) {
    const keys: readonly Key[] = ["timezone", "locale"];
    const found = await Promise.all(keys.map(async (key) => ({ key, value: await preferenceOf(read, key) })));
    return found.flatMap(({ key, value }) => (value === undefined ? [] : [{ [key]: value }]));
  },

  compile: (changes) =>
    changes.flatMap((change) => {
      if (change.action === "delete") return [];
      const { timezone, locale } = change.desired;
      return [
        ...(timezone === undefined ? [] : [call("setPreference", { key: timezoneKey, value: timezone }, [change])]),
        ...(locale === undefined ? [] : [call("setLocale", { locale }, [change])]),
      ];
    }),
};

function keyOf({ timezone }: UserPreference): Key {
  return timezone === undefined ? "locale" : "timezone";
}

/** The value of a preference; undefined if it is not set. @see docs/facts.md, tracker: an unset key is 404 */
async function preferenceOf(read: TrackerReader, key: Key): Promise<string | undefined> {
  switch (key) {
    case "locale":
      return (await read.getLocale({})).locale;
    case "timezone":
      return unlessMissing(read.getPreference({ key: timezoneKey }));
  }
}
