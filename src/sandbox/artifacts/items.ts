import type { Asked, ServiceRequest } from "../exchange.ts";
import { Refusal } from "../refusal.ts";
import type { World } from "../world.ts";
import { type Items, type Repository, type StoredItem, trashcan, withFolders } from "./state.ts";

/** An item with its key, `repository/path`. */
export interface Found {
  readonly key: string;
  readonly item: StoredItem;
}

/** The repository of a key. Throws `Refusal` 404. */
export function requireRepository(world: World, key: string): Repository {
  const repository = world.artifacts.repositories.find((one) => one.key === key);
  if (repository === undefined) throw new Refusal(404, `Repository ${key} doesn't exist`);
  return repository;
}

/** The item that a request's path names; a virtual repository shows its members' items. Throws `Refusal` 404. */
export function requireItem(world: World, { params }: Asked): Found {
  const { repoKey = "", path = "" } = params;
  const members = repoKey === trashcan ? [] : requireRepository(world, repoKey).members;
  const { items } = world.artifacts;
  const key = [repoKey, ...members].map((one) => `${one}/${path}`).find((one) => Object.hasOwn(items, one));
  const item = key === undefined ? undefined : items[key];
  if (key === undefined || item === undefined) throw new Refusal(404, "Unable to find item");
  return { key, item };
}

/** What is below a folder, at any depth. */
export function below(items: Items, folder: string): readonly Found[] {
  return Object.entries(items)
    .filter(([key]) => key.startsWith(`${folder}/`))
    .map(([key, item]) => ({ key, item }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** What is directly in a folder: its names, each with whether it is a folder. */
export function childrenOf(
  items: Items,
  folder: string,
): readonly { readonly uri: string; readonly folder: boolean }[] {
  const names = new Map<string, boolean>();
  for (const { key, item } of below(items, folder)) {
    const [name = "", ...rest] = key.slice(folder.length + 1).split("/");
    names.set(name, rest.length > 0 || item.file === undefined);
  }
  return [...names].map(([name, isFolder]) => ({ uri: `/${name}`, folder: isFolder }));
}

/** Without an item and what is below it. */
export function without(items: Items, key: string): Items {
  return Object.fromEntries(Object.entries(items).filter(([other]) => other !== key && !other.startsWith(`${key}/`)));
}

/** With an item, and what is below it, also at another place, whose earlier contents go. */
export function copied(items: Items, from: string, to: string): Items {
  const copies = Object.entries(items)
    .filter(([key]) => key === from || key.startsWith(`${from}/`))
    .map(([key, item]) => [`${to}${key.slice(from.length)}`, item] as const);
  return withFolders({ ...without(items, to), ...Object.fromEntries(copies) });
}

/** With an item moved to the trash. */
export function trashed(items: Items, key: string): Items {
  return without(copied(items, key, `${trashcan}/${key}`), key);
}

/** The world with other items. */
export function withItems(world: World, items: Items): World {
  return { ...world, artifacts: { ...world.artifacts, items: { ...items } } };
}

/** What time it is, as the service writes it. */
export function timestamp(world: World, { now }: Pick<ServiceRequest, "now">): string {
  return world.artifacts.now ?? new Date(now).toISOString();
}

/** Throws `Refusal` 403 for an account that may not change anything. */
export function requireAdmin({ account }: Asked, right: string): void {
  if (account?.rights !== "admin") throw new Refusal(403, `User ${account?.username} is not permitted to ${right}`);
}
