import type { Observation, Writable } from "../../../core/change.ts";
import { ProblemError } from "../../../core/problem.ts";
import { grouped } from "../../../core/text/words.ts";

/** The maximum number of users or groups to request: far above any real number, so a list of this length was cut. */
export const userLimit = 100_000;

/**
 * Returns what a person must do about a user or a group that the service marks as read-only: no call changes it.
 * @see docs/facts.md, Analysis: users and groups of a directory
 */
export function readOnlyThere(
  { action }: Pick<Writable, "action">,
  what: string,
  readonly: boolean | undefined,
): string | undefined {
  return action !== "create" && readonly === true
    ? `The service marks this ${what} as read-only, like those of a directory: make the change there.`
    : undefined;
}

/** Returns the records unchanged. Throws `ProblemError` SP3104 if they reach the limit, because there might be more. */
export function uncut<Record>(records: readonly Record[]): readonly Record[] {
  if (records.length < userLimit) return records;
  throw new ProblemError({
    code: "SP3104",
    message: `The list ended at its limit of ${grouped(userLimit)}: there may be more.`,
  });
}

/**
 * Returns the observation of what a list does not have: absent, or unknown if the list reached its limit.
 * @see docs/facts.md, analysis: users and groups have a limit and no offset
 */
export function unlisted<Marker>(name: string, list: readonly unknown[], marker: Marker): Observation<never, Marker> {
  if (list.length < userLimit) return { is: "absent", marker };
  const message = `The list ended at its limit of ${grouped(userLimit)} without ${name}.`;
  return { is: "unknown", problem: { code: "SP3104", message } };
}
