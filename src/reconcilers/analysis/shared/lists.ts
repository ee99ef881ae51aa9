import type { Observation } from "../../../core/change.ts";
import { ProblemError } from "../../../core/problem.ts";

/** The maximum number of users or groups to request: far above any real number, so a list of this length was cut. */
export const userLimit = 100_000;

/** Returns the records unchanged. Throws `ProblemError` SP3104 if they reach the limit, because there might be more. */
export function uncut<Record>(records: readonly Record[], limit: number): readonly Record[] {
  if (records.length < limit) return records;
  throw new ProblemError({ code: "SP3104", message: `The list ended at its limit of ${limit}: there may be more.` });
}

/**
 * Finds the wanted resources by name in a list of records. A resource that is not found is absent, or unknown if the list
 * reached its limit.
 * @see docs/facts.md, analysis: users and groups have a limit and no offset
 */
export function observeList<Spec extends { readonly name: string }, Record extends { readonly name: string }, Marker>(
  wanted: readonly Spec[],
  records: readonly Record[],
  limit: number,
  observeOne: (wanted: Spec, record: Record) => Observation<Spec, Marker>,
  markerOfAbsent: Marker,
): ReadonlyMap<string, Observation<Spec, Marker>> {
  const byName = new Map(records.map((record) => [record.name, record]));
  return new Map(
    wanted.toReversed().map((spec): [string, Observation<Spec, Marker>] => {
      const record = byName.get(spec.name);
      if (record !== undefined) return [spec.name, observeOne(spec, record)];
      if (records.length < limit) return [spec.name, { is: "absent", marker: markerOfAbsent }];
      const message = `The list ended at its limit of ${limit} without ${spec.name}.`;
      return [spec.name, { is: "unknown", problem: { code: "SP3104", message } }];
    }),
  );
}
