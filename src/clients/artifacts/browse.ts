import { z } from "zod";
import { ProblemError } from "../../core/problem.ts";
import { pageList } from "../http/pages.ts";
import { commaList, get, read, send } from "../table.ts";
import { Bit, FolderPlace, ItemPlace, nestedPath } from "./arguments.ts";
import { ArtifactQuery, queryText } from "./query.ts";
import {
  ArtifactSearch,
  FolderListing,
  ImageCatalog,
  ImageTags,
  ItemProperties,
  LastModified,
  PatternSearch,
  QueryAnswer,
  RepositoryDetail,
  RepositoryRecord,
  StorageInfo,
  StoredItem,
  TrashListing,
} from "./records.ts";

/** Which of a registry's names are wanted. */
const NamePages = {
  n: z.int().min(1).describe("The maximum number of names; default: all.").optional(),
  last: z.string().describe("The position at which the list continues, as the answer before it has it.").optional(),
};

/** Reading what is stored. @see docs/api/artifacts.md, browse and search */
export const browseOperations = {
  listFolder: read(get("/api/storage/{repoKey}/{path}?list"), {
    summary: "The contents of a folder; with `deep`, everything below it, down to `depth`.",
    nested: nestedPath,
    args: z.object({
      ...FolderPlace,
      deep: Bit.optional(),
      depth: z.int().optional(),
      listFolders: Bit.optional(),
      mdTimestamps: Bit.optional(),
      includeRootPath: Bit.optional(),
    }),
    result: FolderListing,
  }),
  getLastModified: read(get("/api/storage/{repoKey}/{path}?lastModified"), {
    summary: "The newest item at or below a path.",
    nested: nestedPath,
    args: z.object(ItemPlace),
    result: LastModified,
  }),
  getItem: read(get("/api/storage/{repoKey}/{path}"), {
    summary: "A file with its size and checksums, or a folder with the names in it.",
    nested: nestedPath,
    args: z.object(FolderPlace),
    result: StoredItem,
    ext: "docs/facts.md, artifacts: file information has checksums",
  }),
  getProperties: read(get("/api/storage/{repoKey}/{path}?properties"), {
    summary: "The properties of an item; an item without properties is not found.",
    nested: nestedPath,
    args: z.object(ItemPlace),
    result: ItemProperties,
    ext: "docs/facts.md, artifacts: GET reads properties at the path where they are written",
  }),
  listTrash: read(get("/api/storage/auto-trashcan"), {
    summary: "The repositories with items in the trash.",
    result: TrashListing,
  }),
  searchArtifacts: read(get("/api/search/artifact?name&repos"), {
    summary: "Files by part of their name, in all repositories or the given ones, each with or without a path.",
    args: z.object({ name: z.string(), repos: commaList(z.array(z.string())).optional() }),
    result: ArtifactSearch,
    paging: { next: (_args, { results }) => endOfSearch(results.length) },
  }),
  searchPattern: read(get("/api/search/pattern?pattern"), {
    summary: "Files in a repository by a path with wildcards: `repository:path/*.jar`.",
    args: z.object({ pattern: z.string() }),
    result: PatternSearch,
    paging: { next: (_args, { files }) => endOfSearch(files.length) },
  }),
  query: read(send("POST", "/api/search/aql", "text"), {
    summary: "Items or builds that match a query: as data, as text or in a file.",
    args: z.object({
      query: z.union([z.string(), ArtifactQuery.transform(queryText)]).optional(),
      file: z.string().describe("A file with the query's text, in place of `query`.").optional(),
    }),
    result: QueryAnswer,
    paging: { next: ({ query }, answer) => endOfQuery(query, answer) },
  }),
  listRepositories: read(get("/api/repositories"), {
    summary: "All repositories with their types.",
    result: z.array(RepositoryRecord),
  }),
  getRepository: read(get("/api/repositories/{key}"), {
    summary: "A repository; for a virtual one, also its deployment repository.",
    args: z.object({ key: z.string() }),
    result: RepositoryDetail,
  }),
  getStorageInfo: read(get("/api/storageinfo"), { summary: "Storage usage, as display strings.", result: StorageInfo }),
  getServerVersion: read(get("/api/system/version"), {
    summary: "The server's version.",
    result: z.object({ version: z.string().min(1) }),
    ext: "docs/decisions/versions.md: the product's own reference",
  }),
  listTags: read(get("/api/docker/{repoKey}/v2/{image}/tags/list?n&last"), {
    summary: "The tags of an image.",
    nested: { image: "/" },
    args: z.object({ repoKey: z.string(), image: z.string(), ...NamePages }),
    result: ImageTags,
    paging: namePages("tags"),
  }),
  listCatalog: read(get("/api/docker/{repoKey}/v2/_catalog?n&last"), {
    summary: "The images in a repository.",
    args: z.object({ repoKey: z.string(), ...NamePages }),
    result: ImageCatalog,
    paging: namePages("repositories"),
  }),
} as const;

/** The most results that a search returns. @see docs/facts.md, artifacts */
const mostResults = 1000;

/** Throws `ProblemError` SP3104 if the results of a search may have been cut: a search cannot be continued. */
function endOfSearch(results: number): undefined {
  if (results >= mostResults) throw trimmed(`The search returned ${mostResults} results, the most it can return.`);
}

/**
 * Throws `ProblemError` SP3104 if the service trimmed the answer to a query: it says so in one of two places, or has more
 * results although the query set no limit. @see docs/facts.md, artifacts
 */
function endOfQuery(query: string | undefined, { results, notification, range }: QueryAnswer): undefined {
  const said = notification ?? range?.notification;
  if (said !== undefined) throw trimmed(`The service trimmed the answer: ${said}`);
  // Whether a query in a file has its own limit is not known here.
  const isPart = query === undefined || /\.(offset|limit)\(\d+\)$/.test(query);
  if (!isPart && range !== undefined && (range.start_pos > 0 || range.total > Math.min(range.end_pos, results.length)))
    throw trimmed(`The service returned results ${range.start_pos} to ${range.end_pos} of ${range.total}.`);
}

function trimmed(message: string): ProblemError {
  return new ProblemError({
    code: "SP3104",
    message,
    hint: "Narrow it, or use a query with offset and limit to read it in parts.",
  });
}

/**
 * Reads a registry's list, whose names are in `field`. It continues where the answer's link says, or else at the position
 * after a full page. @see docs/facts.md, Artifacts: lists of a registry
 */
function namePages<Field extends string>(field: Field) {
  type Names = Record<Field, string[]>;
  type Place = z.output<z.ZodObject<typeof NamePages>>;
  return {
    cap: "n",
    next<Args extends Place>(args: Args, { [field]: names }: Names, link: URLSearchParams | undefined) {
      const isFull = args.n !== undefined && names.length >= args.n;
      if (link === undefined && !isFull) return undefined;
      const last = link?.get("last") ?? String(Number(args.last ?? 0) + names.length);
      const n = Number(link?.get("n") ?? args.n);
      return { ...args, last, ...(n > 0 ? { n } : {}) };
    },
    list: <Page extends Names>(first: Page) =>
      pageList(first, {
        entries: (page) => page[field],
        identify: (name) => name,
        whole: (names, last) => ({ ...last, [field]: names }),
      }),
  } as const;
}
