import { hash } from "node:crypto";
import { own } from "../../core/text/json.ts";
import { isAdmin } from "../accounts.ts";
import type { Asked, ServiceRequest } from "../exchange.ts";
import { found, foundIn, Refusal } from "../refusal.ts";
import {
  type ArtifactRepository,
  type ArtifactsState,
  type Items,
  type KeptItem,
  trashcan,
  withFolders,
} from "./state.ts";

/** An item with its key, `repository/path`. */
export interface FoundItem {
  readonly key: string;
  readonly item: KeptItem;
}

/** Returns the repository with a key, by default the key in the path. Throws `Refusal` 404. */
export function requireRepository(
  { state, params }: Asked<ArtifactsState>,
  key = params.repoKey ?? "",
): ArtifactRepository {
  return foundIn(state.repositories, (one) => one.key === key, `Repository ${key} doesn't exist`);
}

/** Throws `Refusal` if a repository cannot be the target of a promotion: 404 if unknown, 400 if it is not local. */
export function requireTarget(asked: Asked<ArtifactsState>, key: string): void {
  if (requireRepository(asked, key).type !== "LOCAL") throw new Refusal(400, `Repository ${key} is not local`);
}

/** Stands for the root of a repository, which is not stored as an item. */
const root: KeptItem = {
  created: "1970-01-01T00:00:00.000Z",
  modified: "1970-01-01T00:00:00.000Z",
  createdBy: "admin",
  properties: {},
};

/** The same as `itemAt`. Throws `Refusal` 404 if there is no such item or repository. */
export function requireItem(asked: Asked<ArtifactsState>): FoundItem {
  const isRemote = asked.params.repoKey !== trashcan && requireRepository(asked).type === "REMOTE";
  return found(isRemote ? undefined : itemAt(asked), "Unable to find item");
}

/**
 * Returns the item that a request's path names, or the repository's root if it names none. A virtual repository shows the
 * items of its members.
 */
export function itemAt({ state, params: { repoKey = "", path } }: Asked<ArtifactsState>): FoundItem | undefined {
  const members = state.repositories.find(({ key }) => key === repoKey)?.members ?? [];
  if (path === undefined) {
    const key = [repoKey, ...members].find((repository) => below(state.items, repository).length > 0) ?? repoKey;
    return { key, item: root };
  }
  const [first] = [repoKey, ...members].flatMap((repository) => {
    const key = `${repository}/${path}`;
    const item = own(state.items, key);
    return item === undefined ? [] : [{ key, item }];
  });
  return first;
}

/** Returns the matching items, ordered by key. */
export function select(items: Items, fits: (found: FoundItem) => boolean): readonly FoundItem[] {
  return Object.entries(items)
    .map(([key, item]) => ({ key, item }))
    .filter(fits)
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** Returns everything below a folder, at any depth. */
export function below(items: Items, folder: string): readonly FoundItem[] {
  return select(items, ({ key }) => key.startsWith(`${folder}/`));
}

/** Returns the direct contents of a folder: names, each with whether it is a folder. */
export function childrenOf(items: Items, folder: string) {
  const names = new Map<string, boolean>();
  for (const { key, item } of below(items, folder)) {
    const [name = "", ...rest] = key.slice(folder.length + 1).split("/");
    names.set(name, rest.length > 0 || item.file === undefined);
  }
  return [...names].map(([name, isFolder]) => ({ uri: `/${name}`, folder: isFolder }));
}

/** Returns the items without one of them and what is below it. */
export function withoutItem(items: Items, key: string): Record<string, KeptItem> {
  return Object.fromEntries(Object.entries(items).filter(([other]) => other !== key && !other.startsWith(`${key}/`)));
}

/** Returns the items with a copy of one of them, and of what is below it, in place of whatever was at `to`. */
export function copied(items: Items, from: string, to: string): Record<string, KeptItem> {
  const copies = Object.entries(items)
    .filter(([key]) => key === from || key.startsWith(`${from}/`))
    .map(([key, item]) => [`${to}${key.slice(from.length)}`, item] as const);
  return withFolders({ ...withoutItem(items, to), ...Object.fromEntries(copies) });
}

/** Returns the items with one of them moved to the trash. */
export function trashed(items: Items, key: string): Record<string, KeptItem> {
  return withoutItem(copied(items, key, `${trashcan}/${key}`), key);
}

/** Returns what is kept of a file's content: its size and its checksums. */
export function fileOf(bytes: Uint8Array): NonNullable<KeptItem["file"]> {
  const [md5, sha1, sha256] = [hash("md5", bytes), hash("sha1", bytes), hash("sha256", bytes)];
  return { size: bytes.length, md5, sha1, sha256 };
}

/** Media types by file name extension. */
const mimeTypes: Readonly<Record<string, string>> = {
  html: "text/html",
  jar: "application/java-archive",
  json: "application/json",
  pom: "application/x-maven-pom+xml",
  txt: "text/plain",
  xml: "application/xml",
  zip: "application/zip",
};

/** Returns an item as `getItem` and the answer to its deployment show it. */
export function viewItem({ base }: ServiceRequest, { key, item }: FoundItem) {
  const [repo = "", ...names] = key.split("/");
  const { created, modified, createdBy, file } = item;
  const { size, ...checksums } = file ?? {};
  return {
    repo,
    path: `/${names.join("/")}`,
    created,
    createdBy,
    lastModified: modified,
    modifiedBy: createdBy,
    lastUpdated: modified,
    ...(file === undefined
      ? {}
      : {
          downloadUri: `${base}/${key}`,
          mimeType: own(mimeTypes, key.split(".").at(-1) ?? "") ?? "application/octet-stream",
          size: String(size),
          checksums,
          originalChecksums: checksums,
        }),
  };
}

/** Returns an item for a file that the caller stores now. */
export function newFile(asked: Asked<ArtifactsState>, file: NonNullable<KeptItem["file"]>): KeptItem {
  const created = timestamp(asked);
  return { created, modified: created, createdBy: asked.account?.username ?? "", file, properties: {} };
}

/** Returns the current time, in the service's format. */
export function timestamp({ state, now }: ServiceRequest<ArtifactsState>): string {
  return state.now ?? new Date(now).toISOString();
}

/** Throws `Refusal` 403 for an account other than an administrator. */
export function requireAdmin({ account }: Asked, right: string): void {
  if (!isAdmin(account)) throw new Refusal(403, `User ${account?.username} is not permitted to ${right}`);
}
