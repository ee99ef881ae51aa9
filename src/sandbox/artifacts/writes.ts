import { createHash } from "node:crypto";
import type { Answer, Asked } from "../exchange.ts";
import { Refusal } from "../refusal.ts";
import type { World } from "../world.ts";
import { unpack } from "./archive.ts";
import {
  below,
  requireAdmin,
  requireItem,
  requireRepository,
  timestamp,
  trashed,
  withItems,
  without,
} from "./items.ts";
import { parseProperties } from "./property-text.ts";
import { type Items, type StoredItem, trashcan, withFolders } from "./state.ts";
import { storageUri } from "./storage.ts";

/** Deployments, deletions, properties and the trash. */
export const writeAnswers = {
  deployFile(world, asked) {
    const { account, base, content, headers, params } = asked;
    requireAdmin(asked, "deploy");
    const repo = deploymentRepository(world, asked);
    const key = `${repo}/${params.path}`;
    const { size, sha1, sha256 } = content;
    const sent = headers["x-checksum-sha256"];
    if (sent !== undefined && sent !== sha256) throw new Refusal(409, `Checksum error for '${key}': expected ${sent}`);
    const created = timestamp(world, asked);
    const item = {
      created,
      modified: created,
      createdBy: account?.username ?? "",
      file: { size, sha1, sha256 },
      properties: {},
    };
    return {
      status: 201,
      body: {
        repo,
        path: `/${params.path}`,
        created,
        createdBy: item.createdBy,
        downloadUri: `${base}/${key}`,
        size: String(size),
        checksums: { sha1, sha256 },
        uri: `${base}/${key}`,
      },
      world: withItems(world, stored(world.artifacts.items, { [key]: item })),
    };
  },

  deployArchive(world, asked) {
    const { account, content, headers, params } = asked;
    requireAdmin(asked, "deploy");
    const repo = deploymentRepository(world, asked);
    if (headers["x-explode-archive"] !== "true" && headers["x-explode-archive-atomic"] !== "true")
      throw new Refusal(400, "The path of a file does not end in /");
    if (content.bytes === undefined) throw new Refusal(413, "The archive is too large to be exploded here");
    const created = timestamp(world, asked);
    const entries = unpack(content.bytes).map(({ path, content: bytes }) => [
      `${repo}/${params.path}/${path}`,
      {
        created,
        modified: created,
        createdBy: account?.username ?? "",
        file: { size: bytes.length, sha1: hash("sha1", bytes), sha256: hash("sha256", bytes) },
        properties: {},
      },
    ]);
    return { body: "", world: withItems(world, stored(world.artifacts.items, Object.fromEntries(entries))) };
  },

  deleteItem(world, asked) {
    requireAdmin(asked, "delete");
    const { key } = requireItem(world, asked);
    return { status: 204, world: withItems(world, trashed(world.artifacts.items, key)) };
  },

  setProperties(world, asked) {
    const properties = parseProperties(asked.query.get("properties") ?? "");
    return { status: 204, world: changeProperties(world, asked, (old) => ({ ...old, ...properties })) };
  },

  deleteProperties(world, asked) {
    const names = (asked.query.get("properties") ?? "").split(",");
    const without = (old: StoredItem["properties"]) =>
      Object.fromEntries(Object.entries(old).filter(([name]) => !names.includes(name)));
    return { status: 204, world: changeProperties(world, asked, without) };
  },

  getProperties(world, asked) {
    const { key, item } = requireItem(world, asked);
    if (Object.keys(item.properties).length === 0) throw new Refusal(404, "No properties could be found.");
    return { body: { uri: storageUri(asked, key), properties: item.properties } };
  },

  cleanTrashItem(world, asked) {
    requireAdmin(asked, "clean the trash");
    const { params } = asked;
    return cleaned(world, `${trashcan}/${params.repoKey}/${params.path}`);
  },

  cleanTrashBuildInfo(world, asked) {
    requireAdmin(asked, "clean the trash");
    return cleaned(world, `${trashcan}/${asked.params.buildInfoRepoKey}`);
  },

  emptyTrash(world, asked) {
    requireAdmin(asked, "empty the trash");
    return { body: "The trash is empty", world: withItems(world, without(world.artifacts.items, trashcan)) };
  },
} satisfies Record<string, Answer>;

/** Where a deployment goes. Throws `Refusal` for a repository that takes none. */
function deploymentRepository(world: World, { params }: Asked): string {
  const { key, type, defaultDeploymentRepo } = requireRepository(world, params.repoKey ?? "");
  const target = type === "VIRTUAL" ? defaultDeploymentRepo : type === "LOCAL" ? key : undefined;
  if (target === undefined) throw new Refusal(405, `Repository ${key} does not take deployments`);
  return target;
}

/** With new files. Throws `Refusal` 409 where a file would stand in the place of a folder, or below a file. */
function stored(items: Items, files: Items): Items {
  const complete = withFolders({ ...items, ...files });
  for (const key of Object.keys(files)) {
    const parents = key.split("/").map((_name, index, names) => names.slice(0, index).join("/"));
    if (below(items, key).length > 0 || parents.some((parent) => complete[parent]?.file !== undefined))
      throw new Refusal(409, `${key} stands in the place of a folder or below a file`);
  }
  return complete;
}

function hash(algorithm: string, bytes: Uint8Array): string {
  return createHash(algorithm).update(bytes).digest("hex");
}

/** Changes the properties of an item and, unless told otherwise, of what is below it. @see docs/facts.md, artifacts */
function changeProperties(
  world: World,
  asked: Asked,
  change: (old: StoredItem["properties"]) => StoredItem["properties"],
): World {
  requireAdmin(asked, "annotate");
  const top = requireItem(world, asked);
  const { items } = world.artifacts;
  const affected = asked.query.get("recursive") === "0" ? [top] : [top, ...below(items, top.key)];
  const changed = affected.map(({ key, item }) => [key, { ...item, properties: change(item.properties) }]);
  return withItems(world, { ...items, ...Object.fromEntries(changed) });
}

function cleaned(world: World, key: string) {
  const { items } = world.artifacts;
  if (!Object.hasOwn(items, key)) throw new Refusal(404, `The trash has no ${key.slice(trashcan.length + 1)}`);
  return { body: "Removed from the trash", world: withItems(world, without(items, key)) };
}
