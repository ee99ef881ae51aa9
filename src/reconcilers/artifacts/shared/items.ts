import { z } from "zod";
import type { Criteria } from "../../../clients/artifacts/arguments.ts";
import type { ArtifactsReader } from "../../../clients/artifacts/operations.ts";

export const RepositoryKey = z
  .string()
  .regex(/^[^/:]+$/, "expected the key of a repository, without / and :")
  .describe("Key of the repository.");

export const ItemPath = z
  .string()
  .refine(
    (path) => path.split("/").every((name) => !["", ".", ".."].includes(name)),
    "expected names with / between them, and none of them empty, . or ..",
  );

/** What a property's name begins with that says what setpoint did. */
export const ownProperties = "setpoint.";

/** The property, on the folder below which an archive was stored, with the archive's SHA-256. */
export const archiveMark = `${ownProperties}archive.sha256`;

/** A result of a query of items, with the path of the item below its repository. */
export interface QueriedItem {
  readonly path: string;
  readonly type: string;
  readonly created: string;
  readonly properties: readonly { readonly key: string; readonly value?: string | undefined }[];
}

/** The items that a query finds, which includes repo, path and name. Throws `ProblemError` as the reader does. */
export async function queryItems(
  read: ArtifactsReader,
  where: Criteria,
  include: readonly string[],
): Promise<readonly QueriedItem[]> {
  const { results } = await read.query({
    query: { find: "items", where, include: ["repo", "path", "name", ...include] },
  });
  return results.map(({ path = ".", name = "", type = "", created = "", properties = [] }) => ({
    path: path === "." ? name : `${path}/${name}`,
    type,
    created,
    properties,
  }));
}

/** What has a meaning in a pattern of the service: `*` for any text, `/` included, and `?` for one character. */
export const serviceMarks = "*?";
