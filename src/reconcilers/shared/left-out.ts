import type { LeaveOut } from "../../core/kind.ts";
import { hasOnly, ProblemError } from "../../core/problem.ts";

/** Leaves out nothing: the list fails. */
export const refuse: LeaveOut = (_key, problem) => {
  throw new ProblemError(problem);
};

/**
 * Lists live objects that are read one by one, or in groups. What the service refuses or no longer has, or answers in a form
 * that setpoint does not understand, is left out. If there is nothing else, or for any other failure, throws `ProblemError`.
 */
export async function listEach<Place, Spec>(
  places: readonly Place[],
  keyOf: (place: Place) => string,
  readOne: (place: Place) => Promise<readonly Spec[]>,
  leaveOut: LeaveOut,
): Promise<readonly Spec[]> {
  const found = await Promise.all(
    places.map(async (place) => {
      try {
        return { specs: await readOne(place), place };
      } catch (error) {
        if (!hasOnly(error, "SP3004", "SP3005", "SP3007", "SP3103")) throw error;
        return { error, place };
      }
    }),
  );
  const refused = found.filter((one) => one.error !== undefined);
  if (refused[0] !== undefined && refused.length === found.length) throw refused[0].error;
  for (const { error, place } of refused) for (const problem of error.problems) leaveOut(keyOf(place), problem);
  return found.flatMap(({ specs = [] }) => specs);
}
