import { z } from "zod";

/** A file or a folder. `file` has the size and checksums of a file; a folder lacks it. */
const StoredItem = z.strictObject({
  created: z.iso.datetime(),
  modified: z.iso.datetime(),
  /** Name of the account. */
  createdBy: z.string().default("admin"),
  file: z
    .strictObject({ size: z.int().min(0), md5: z.string().optional(), sha1: z.string(), sha256: z.string() })
    .optional(),
  /** Values by name. */
  properties: z.record(z.string(), z.array(z.string())).default({}),
});
export type KeptItem = z.infer<typeof StoredItem>;

export type Properties = KeptItem["properties"];

/** Items by `repository/path`. */
export type Items = Readonly<Record<string, KeptItem>>;

const Repository = z.strictObject({
  key: z.string().regex(/^[\w.-]+$/),
  type: z.enum(["LOCAL", "REMOTE", "VIRTUAL"]),
  packageType: z.string().default("generic"),
  /** Of a remote repository: the URL that it proxies. */
  url: z.url().optional(),
  /** Of a virtual repository: the target of its deployments. */
  defaultDeploymentRepo: z.string().optional(),
  /** Of a virtual repository: the keys of its members, in order. */
  members: z.array(z.string()).default([]),
});
export type ArtifactRepository = z.infer<typeof Repository>;

const Build = z.strictObject({
  started: z.iso.datetime(),
  properties: z.record(z.string(), z.string()).default({}),
  /** Keys of the items that the build made: `repository/path`. */
  artifacts: z.array(z.string()).default([]),
  statuses: z
    .array(
      z.strictObject({
        status: z.string(),
        timestamp: z.iso.datetime(),
        repository: z.string().optional(),
        ciUser: z.string().optional(),
        user: z.string(),
      }),
    )
    .default([]),
});
export type Build = z.infer<typeof Build>;

const Token = z.strictObject({
  token_id: z.string(),
  /** Name of the account that the token authenticates. */
  username: z.string(),
  scope: z.string(),
  description: z.string().optional(),
  issued: z.iso.datetime(),
  /** Seconds; 0 means never. */
  expires_in: z.int().min(0),
  refreshable: z.boolean().default(false),
});
export type Token = z.infer<typeof Token>;

/** The prefix of the keys of deleted items. */
export const trashcan = "auto-trashcan";

/** The artifact repository. Folders that are not empty exist even if they are omitted. */
export const ArtifactsState = z
  .strictObject({
    /** The current time; by default the time of the request. */
    now: z.iso.datetime().optional(),
    version: z.string().default("7.98.9"),
    repositories: z.array(Repository).default([]),
    items: z.record(z.string().regex(/^[^/]+(\/[^/]+)+$/, "expected repository/path"), StoredItem).default({}),
    builds: z.record(z.string(), z.record(z.string(), Build)).default({}),
    tokens: z.array(Token).default([]),
  })
  .transform((state) => ({ ...state, items: withFolders(state.items) }))
  .prefault({});
export type ArtifactsState = z.infer<typeof ArtifactsState>;

/** Returns the items and every folder above them. A new folder takes its time and author from the first item below it. */
export function withFolders(items: Items): Record<string, KeptItem> {
  const complete: Record<string, KeptItem> = { ...items };
  for (const [key, { created, createdBy }] of Object.entries(items)) {
    const names = key.split("/").slice(0, -1);
    for (let depth = 2; depth <= names.length; depth++) {
      const folder = names.slice(0, depth).join("/");
      if (!Object.hasOwn(complete, folder))
        complete[folder] = { created, modified: created, createdBy, properties: {} };
    }
  }
  return complete;
}
