import { posix } from "node:path";
import { z } from "zod";
import type { ArtifactsOperations, ArtifactsReader } from "../../clients/artifacts/operations.ts";
import { type CallOf, callOf } from "../../core/call.ts";
import type { Observation, Writable } from "../../core/change.ts";
import type { Kind, LocalFile } from "../../core/kind.ts";
import { hasOnly, ProblemError, unlessMissing } from "../../core/problem.ts";
import { Text } from "../shared/fields.ts";
import { observeAll } from "../shared/told.ts";
import { archiveMark, ItemPath, RepositoryKey } from "./shared/items.ts";

const call = callOf<ArtifactsOperations>();

const DeployedFile = z
  .strictObject({
    repo: RepositoryKey,
    path: ItemPath.describe("Path of the file in the repository; for an exploded archive, the folder for its files."),
    source: Text.optional().describe("A file beside the manifest, of any size."),
    archive: z
      .string()
      .regex(/\.(zip|tar|tar\.gz|tgz|7z|tar\.bz2)$/i, "expected a zip, tar, tar.gz, tgz, 7z or tar.bz2")
      .optional()
      .describe("An archive beside the manifest, in place of `source`."),
    explode: z
      .boolean()
      .default(true)
      .describe("Whether the archive's files are stored below `path` instead of the archive itself at `path`."),
    atomic: z.boolean().default(false).describe("Whether either all files of the archive are stored or none."),
  })
  .refine(({ source, archive }) => (source === undefined) !== (archive === undefined), {
    message: "expected either source or archive",
  })
  // @see docs/facts.md, Artifacts: a file whose name ends in `.md5`, `.sha1` or `.sha256` is a checksum
  .refine((spec) => isExploded(spec) || !/\.(md5|sha1|sha256)$/.test(spec.path), {
    path: ["path"],
    message: "expected a file other than a .md5, .sha1 or .sha256, which the service makes itself",
  });

/** The known facts about a file's content: the SHA-256 of a local file; for a stored one, the SHA-1 if there is no other. */
type Content = Partial<LocalFile> & { readonly sha1?: string };

/** `content` is never in a manifest. It is read from the file, if that exists at a git ref, or from the service. */
type DeployedFile = z.infer<typeof DeployedFile> & { readonly content?: Content };

/** What is at the path. */
type Marker = "nothing" | "file" | "folder";

/** A file from beside the manifest, stored in a repository. */
export const deployedFile: Kind<DeployedFile, ArtifactsOperations, Marker> = {
  kind: "DeployedFile",
  role: "artifacts",
  summary: "A file, or the files of an archive, stored in a repository.",
  spec: DeployedFile,
  budget: {
    reads:
      "1 getItem per file, or 1 listFolder under `wire: documented`; 1 getProperties per exploded archive, or 1 query for several; then 1 getItem if that finds no properties",
    writes:
      "1 deployFile per file; 1 deployArchive and 1 setProperties per exploded archive, and before them 1 deleteProperties if it replaces another one; 1 deleteItem per deletion",
  },
  notes: `Files are compared by checksum. A run reads a file for it once, however many documents name it, and only if one of
these is selected; \`validate\` and \`graph\` check that the file is there. Files are streamed when they
are stored. If the file has changed by then, nothing is stored and the change is stale. Files need not be in git; if
\`--base\` has no such file, drift cannot be detected and a difference is pending. A Maven
repository with unique snapshots, the default, stores a \`-SNAPSHOT\` under a name with the time: do not declare one, because each apply would
store another and fail.

Stored files do not show which archive they came from, so an exploded archive records its SHA-256 in the property
\`${archiveMark}\` of the folder \`path\`. It shows that this archive was stored there. It does not show whether someone has
changed, added or removed a file since, and files of an earlier archive that a later one lacks are kept. For the same
reason a person has to delete the files. The property is removed before another archive is stored and written after its files: an
interrupted deployment is repeated.
Under \`wire: documented\` properties cannot be read and exploded archives are unknown.

Files are not imported, because they have no local file.`,
  key: ({ repo, path }) => `${repo}/${path}`,
  scope: ({ repo, path }) => `${repo}/${path}`,
  inline: (spec, _read, digest) => {
    const content = digest(spec.source ?? spec.archive ?? "");
    return content === undefined ? spec : { ...spec, content };
  },
  normalize: ({ repo, path, content }) => ({ repo, path, content: contentText(content) }),

  observe: (read, _scope, wanted) =>
    observeAll(wanted, deployedFile, (spec) =>
      isExploded(spec) ? observeArchive(read, spec) : observeFile(read, spec),
    ),

  async recognise(live, wanted, sha1Of) {
    const { sha1 } = live.content ?? {};
    if (sha1 === undefined) return live;
    for (const { content: { sha256 } = {} } of wanted)
      if (sha256 !== undefined && (await sha1Of(sha256)) === sha1) return { ...live, content: { sha256 } };
    return live;
  },

  needsPerson: (change) => {
    const isFolder = isExploded(change.action === "delete" ? change.declared : change.desired);
    if (change.action === "delete" && isFolder)
      return "Delete the files of the archive manually: setpoint cannot tell which files in the folder belong to it.";
    // A deletion would remove the folder with everything in it.
    return change.marker === "folder" && !isFolder
      ? "There is a folder at this path: move it, or correct `path`."
      : undefined;
  },

  compile: (changes) => changes.flatMap(callsFor),

  risk: ({ action }) => (action === "create" ? [] : ["irreversible"]),
};

function isExploded({
  archive,
  explode,
}: {
  readonly archive?: string | undefined;
  readonly explode: boolean;
}): boolean {
  return archive !== undefined && explode;
}

function contentText({ sha256, sha1 }: Content = {}): string | undefined {
  return sha256 === undefined ? sha1 && `sha1:${sha1}` : `sha256:${sha256}`;
}

async function observeFile(read: ArtifactsReader, wanted: DeployedFile): Promise<Observation<DeployedFile, Marker>> {
  const stored = await readStored(read, wanted.repo, wanted.path);
  if (stored === undefined) return { is: "absent", marker: "nothing" };
  if (stored === "folder") return { is: "present", spec: { ...wanted, content: {} }, marker: "folder" };
  return { is: "present", spec: { ...wanted, content: stored }, marker: "file" };
}

async function observeArchive(read: ArtifactsReader, wanted: DeployedFile): Promise<Observation<DeployedFile, Marker>> {
  const item = await unlessMissing(read.getProperties({ repoKey: wanted.repo, path: wanted.path }));
  const sha256 = item?.properties[archiveMark]?.[0];
  if (sha256 === undefined) return { is: "absent", marker: item === undefined ? "nothing" : "folder" };
  return { is: "present", spec: { ...wanted, content: { sha256 } }, marker: "folder" };
}

/**
 * Returns the checksum of a stored file, or `folder` if the path is a folder; undefined if there is nothing. Throws
 * `ProblemError` SP3104 if the service reports no checksum.
 */
async function readStored(read: ArtifactsReader, repo: string, path: string): Promise<Content | "folder" | undefined> {
  try {
    const item = await unlessMissing(read.getItem({ repoKey: repo, path }));
    if (item === undefined) return undefined;
    return item.children === undefined ? known(item.checksums ?? {}, path) : "folder";
  } catch (error) {
    // Not available under `wire: documented`.
    if (!hasOnly(error, "SP3007")) throw error;
  }
  const folder = posix.dirname(path);
  const listing = await unlessMissing(
    read.listFolder({ repoKey: repo, path: folder === "." ? "" : folder, listFolders: 1 }),
  );
  const entry = listing?.files.find(({ uri }) => uri === `/${posix.basename(path)}`);
  if (entry === undefined) return undefined;
  return entry.folder === true ? "folder" : known({ sha1: entry.sha1, sha256: entry.sha2 }, path);
}

function known({ sha1, sha256 }: Partial<Record<"sha1" | "sha256", string | undefined>>, path: string): Content {
  if (sha256 !== undefined) return { sha256 };
  if (sha1 !== undefined) return { sha1 };
  throw new ProblemError({ code: "SP3104", message: `The service reports no checksum of ${path}.` });
}

function callsFor(change: Writable<DeployedFile, Marker>): readonly CallOf<ArtifactsOperations>[] {
  const { repo, path } = change.action === "delete" ? change.declared : change.desired;
  const place = { repoKey: repo, path };
  if (change.action === "delete") return [call("deleteItem", place, [change])];
  const { content, atomic } = change.desired;
  if (content?.path === undefined || content.sha256 === undefined) return [];
  const file = { ...place, file: content.path, sha256: content.sha256 };
  if (!isExploded(change.desired)) return [call("deployFile", file, [change])];
  const mark = { [archiveMark]: [content.sha256] };
  const removed = { ...place, properties: [archiveMark], recursive: 0 } as const;
  return [
    // An apply that ends half-way must not leave the mark of the earlier archive on files of this one.
    ...(change.action === "update" ? [call("deleteProperties", removed, [change])] : []),
    call("deployArchive", { ...file, explode: true, atomic: atomic || undefined }, [change]),
    call("setProperties", { ...place, properties: mark, recursive: 0 }, [change]),
  ];
}
