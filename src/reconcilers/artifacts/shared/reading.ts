import { ProblemError } from "../../../core/problem.ts";

/**
 * The milliseconds since 1970 of a build's timestamp. Throws `ProblemError` SP3103 for other text.
 * @see docs/api/artifacts.md, build record: the zone offset is numeric, such as `+0000`
 */
export function momentOf(timestamp: string): number {
  const moment = Date.parse(timestamp.replace(/([+-]\d\d)(\d\d)$/, "$1:$2"));
  if (!Number.isNaN(moment)) return moment;
  throw new ProblemError({ code: "SP3103", message: `${JSON.stringify(timestamp)} is not the time of a build.` });
}
