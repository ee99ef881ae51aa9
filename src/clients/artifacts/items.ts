import { z } from "zod";
import { get, read, send, write } from "../table.ts";
import { Bit, ItemPlace, nestedPath, PropertyNames, PropertySet } from "./arguments.ts";
import { DeployedItem, IssuedToken, inWords, TokenIdentity, TokenList } from "./records.ts";

const Sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/, "expected a SHA-256 in lower case")
  .optional()
  .describe("The file's expected checksum: a file with another one is not stored.");

const archiveEnd = /\.(zip|tar|tar\.gz|tgz|7z|tar\.bz2)$/i;

/** Changing what is stored, and the trash. @see docs/api/artifacts.md, items, properties, trash can */
export const itemOperations = {
  deployFile: write(send("PUT", "/{repoKey}/{path}", "file"), {
    summary: "Uploads a file from disk; replaces an existing one.",
    nested: nestedPath,
    headers: { checksum: "x-checksum-sha256" },
    args: z.object({ ...ItemPlace, file: z.string(), sha256: Sha256 }),
    /** @see docs/facts.md, artifacts: the server stores a deployment only if it matches `X-Checksum-Sha256` */
    productArgs: (args) => ({ ...args, ...(args.sha256 === undefined ? {} : { checksum: args.sha256 }) }),
    result: DeployedItem,
  }),
  deployArchive: write(send("PUT", "/{repoKey}/{path}/", "file"), {
    summary: "Uploads an archive from disk and extracts it below a path: file by file or, with `atomic`, all or none.",
    product: "/{repoKey}/{path}/{name}",
    nested: nestedPath,
    headers: { explode: "x-explode-archive", atomic: "x-explode-archive-atomic" },
    args: z.object({
      ...ItemPlace,
      file: z.string().regex(archiveEnd, "expected a zip, tar, tar.gz, tgz, 7z or tar.bz2"),
      explode: z.boolean().default(true),
      atomic: z.boolean().optional(),
      sha256: Sha256,
    }),
    /** @see docs/facts.md, artifacts: an archive is deployed to a file's path */
    productArgs: ({ file, ...rest }) => ({
      ...rest,
      file,
      name: `archive${archiveEnd.exec(file)?.[0].toLowerCase()}`,
    }),
    ...inWords,
  }),
  deleteItem: write(send("DELETE", "/{repoKey}/{path}", "none"), {
    summary: "Moves a file, or a folder and its contents, to the trash.",
    nested: nestedPath,
    args: z.object(ItemPlace),
    ...inWords,
  }),
  setProperties: write(send("PUT", "/storage/{repoKey}/{path}?properties&recursive", "none"), {
    summary: "Sets the given properties; with `recursive`, on all items in a folder.",
    product: "/api/storage/{repoKey}/{path}?properties&recursive",
    nested: nestedPath,
    args: z.object({ ...ItemPlace, properties: PropertySet, recursive: Bit.optional() }),
    ...inWords,
  }),
  deleteProperties: write(send("DELETE", "/api/storage/{repoKey}/{path}?properties&recursive", "none"), {
    summary: "Removes properties by name.",
    nested: nestedPath,
    args: z.object({ ...ItemPlace, properties: PropertyNames, recursive: Bit.optional() }),
    ...inWords,
    ext: "docs/facts.md, artifacts: DELETE …?properties=name1,name2 removes properties by name",
  }),
  cleanTrashItem: write(send("DELETE", "/api/trash/clean/{repoKey}/{path}", "none"), {
    summary: "Permanently deletes an item from the trash.",
    nested: nestedPath,
    args: z.object(ItemPlace),
    ...inWords,
  }),
  cleanTrashBuildInfo: write(send("DELETE", "/api/trash/clean/{buildInfoRepoKey}", "none"), {
    summary: "Permanently deletes the builds in the trash.",
    args: z.object({ buildInfoRepoKey: z.string() }),
    ...inWords,
  }),
  emptyTrash: write(send("POST", "/api/trash/empty", "none"), {
    summary: "Permanently deletes everything in the trash.",
    ...inWords,
  }),
} as const;

/** Marks a field that only the product accepts when it creates a token. */
const beyond = { ext: "docs/facts.md, artifacts: the fields of a token that is created" };

/** The token service, which has its own root. @see docs/api/artifacts.md, access tokens; docs/facts.md, artifacts */
export const tokenOperations = {
  createToken: write(send("POST", "{auth_url}/api/v1/tokens", "json"), {
    summary: "Creates an access token; its value is shown only once.",
    args: z.object({
      description: z.string().max(1024).optional(),
      token_id: z.string().optional(),
      scope: z.string().max(500).optional(),
      token_type: z.string().optional(),
      include_reference_token: z.union([z.boolean(), z.literal("true")]).optional(),
      grant_type: z.string().optional().meta(beyond),
      username: z.string().optional().meta(beyond),
      expires_in: z.int().min(0).describe("Seconds; 0 means it never expires.").optional().meta(beyond),
      refreshable: z.boolean().optional().meta(beyond),
      audience: z.string().optional().meta(beyond),
    }),
    result: IssuedToken,
    yields: ["reference_token", "access_token"],
  }),
  listTokens: read(get("{auth_url}/api/v1/tokens"), {
    summary: "The stored tokens, which excludes short-lived ones; `description` filters them and can end in `*`.",
    args: z.object({
      description: z.string().optional().meta({ ext: "docs/facts.md, artifacts: a description filters listed tokens" }),
    }),
    result: TokenList,
  }),
  getToken: read(get("{auth_url}/api/v1/tokens/{token_id}"), {
    summary: "A token by its id; `me` is the one that signs in.",
    args: z.object({ tokenId: z.string() }),
    result: TokenIdentity,
    ext: "docs/facts.md, artifacts: a token tells its own id",
  }),
  revokeToken: write(send("DELETE", "{auth_url}/api/v1/tokens/{token_id}", "none"), {
    summary: "Revokes a token.",
    args: z.object({ tokenId: z.string() }),
    ...inWords,
    ext: "docs/facts.md, artifacts: a token cannot be changed, DELETE revokes it",
  }),
} as const;
