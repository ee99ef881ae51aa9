import { z } from "zod";
import type { ArtifactsReader } from "../../../clients/artifacts/operations.ts";
import type { Criteria } from "../../../clients/artifacts/query.ts";
import { ProblemError } from "../../../core/problem.ts";
import { groupsBy } from "../../../core/text/groups.ts";
import { timeOf } from "../../../core/text/moment.ts";
import { quote } from "../../../core/text/words.ts";

export const RepositoryKey = z
  .string()
  .regex(/^[^/:]+$/, "expected the key of a repository, without / and :")
  .describe("Key of the repository.");

/** Whether the service takes a path in a request for another one. @see docs/facts.md, Artifacts: in the path of a request */
export function isMistaken(path: string): boolean {
  return /!\/|%2B/.test(path);
}

export const ItemPath = z
  .string()
  .refine(
    // @see docs/facts.md, Artifacts: a name in a path
    (path) => path.split("/").every((name) => !/["\\|*?]|^\s|\s[.&]*$|^[.&]*$/.test(name)),
    'expected names separated by /, not empty or only of . and &, without spaces at their ends and without " \\ | * ?',
  )
  .refine((path) => !isMistaken(path), "expected a path without !/ and %2B, which the service takes for another one");

/** The prefix of the properties in which setpoint records its own work. */
export const ownProperties = "setpoint.";

/** The property with an archive's SHA-256, on the folder that its files are stored in. */
export const archiveMark = `${ownProperties}archive.sha256`;

/**
 * Returns the items that a query finds, each once, with its path below its repository. Throws `ProblemError` as the reader does.
 * @see docs/facts.md, artifacts: an item with several properties can be returned in parts
 */
export async function queryItems(read: ArtifactsReader, where: Criteria, include: readonly string[]) {
  const { results } = await read.query({
    query: { find: "items", where, include: ["repo", "path", "name", ...include] },
  });
  return groupsBy(results, ({ repo, path, name }) => [repo, path, name]).map(({ first, all }) => {
    const { repo = "", path = ".", name = "", type = "", created = "" } = first;
    const properties = all.flatMap((part) => part.properties ?? []);
    return { repo, path: path === "." ? name : `${path}/${name}`, type, created, properties };
  });
}

/** The wildcards in the service's patterns: `*` for any text, `/` included, and `?` for one character. */
export const serviceMarks = "*?";

/**
 * Returns the milliseconds since 1970 of a timestamp. Throws `ProblemError` SP3103 for other text: nothing is deleted on a
 * guess.
 * @see docs/api/artifacts.md, build record: the zone offset is numeric, such as `+0000`
 */
export function momentOf(timestamp: string): number {
  const moment = timeOf(timestamp);
  if (!Number.isNaN(moment)) return moment;
  throw new ProblemError({ code: "SP3103", message: `${quote(timestamp)} is not a time with a time zone.` });
}
