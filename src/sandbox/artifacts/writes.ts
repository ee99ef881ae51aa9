import type { Answers, Asked } from "../exchange.ts";
import { notModelled, Refusal } from "../refusal.ts";
import { choiceIn } from "../request.ts";
import { unpack } from "./archive.ts";
import {
  below,
  fileOf,
  itemAt,
  newFile,
  requireAdmin,
  requireItem,
  requireRepository,
  trashed,
  viewItem,
  withoutItem,
} from "./items.ts";
import { type ArtifactsState, type Items, type KeptItem, type Properties, trashcan, withFolders } from "./state.ts";
import { storageUri } from "./storage.ts";

/** Deployments, deletions, properties and the trash. */
export const writeAnswers = {
  deployFile(asked) {
    const { base, content, params, state } = asked;
    requireAdmin(asked, "deploy");
    const repo = deploymentRepository(asked);
    const key = `${repo}/${params.path}`;
    requireContent(asked, key);
    if (requireRepository(asked, repo).packageType === "maven" && /-SNAPSHOT\/[^/]+-SNAPSHOT[-.][^/]*$/.test(key))
      throw notModelled("snapshots of Maven, which get names with a time");
    const { size, md5, sha1, sha256 } = content;
    const item = newFile(asked, { size, md5, sha1, sha256 });
    return {
      status: 201,
      body: { ...viewItem(asked, { key, item }), uri: `${base}/${key}` },
      changes: { items: stored(state.items, { [key]: item }) },
    };
  },

  deployArchive(asked) {
    const { content, headers, params } = asked;
    requireAdmin(asked, "deploy");
    const repo = deploymentRepository(asked);
    requireContent(asked, `${repo}/${params.path}/`);
    if (headers["x-explode-archive"] !== "true" && headers["x-explode-archive-atomic"] !== "true")
      throw content.size === 0
        ? notModelled("the creation of folders, which exist with what is in them")
        : new Refusal(400, "The path of a file does not end in /");
    if (content.bytes === undefined) throw new Refusal(413, "The archive is too large to be exploded here");
    const entries = Object.entries(unpack(content.bytes)).map(([path, bytes]) => [
      `${repo}/${params.path}/${path}`,
      newFile(asked, fileOf(bytes)),
    ]);
    return { body: "", changes: { items: stored(asked.state.items, Object.fromEntries(entries)) } };
  },

  deleteItem(asked) {
    requireAdmin(asked, "delete");
    const { key } = requireItem(asked);
    return { status: 204, changes: { items: trashed(asked.state.items, key) } };
  },

  setProperties(asked) {
    const properties = parseProperties(asked.query.get("properties") ?? "");
    return { status: 204, changes: changeProperties(asked, (old) => ({ ...old, ...properties })) };
  },

  deleteProperties(asked) {
    const names = (asked.query.get("properties") ?? "").split(",");
    const others = (old: Properties) =>
      Object.fromEntries(Object.entries(old).filter(([name]) => !names.includes(name)));
    return { status: 204, changes: changeProperties(asked, others) };
  },

  /** @see docs/facts.md, artifacts: an item without properties answers 404, and so does one that does not exist */
  getProperties(asked) {
    const { key = "", item: { properties = {} } = {} } = itemAt(asked) ?? {};
    if (Object.keys(properties).length === 0) throw new Refusal(404, "No properties could be found.");
    return { body: { uri: storageUri(asked, key), properties } };
  },

  cleanTrashItem(asked) {
    const { repoKey, path } = asked.params;
    return cleaned(asked, `${repoKey}/${path}`);
  },

  cleanTrashBuildInfo: (asked) => cleaned(asked, asked.params.buildInfoRepoKey ?? ""),

  emptyTrash(asked) {
    requireAdmin(asked, "empty the trash");
    return { body: "The trash is empty", changes: { items: withoutItem(asked.state.items, trashcan) } };
  },
} satisfies Answers<ArtifactsState>;

/** Returns the repository that stores a deployment. Throws `Refusal` if the named repository takes none. */
function deploymentRepository(asked: Asked<ArtifactsState>): string {
  const { key, type, defaultDeploymentRepo } = requireRepository(asked);
  const target = type === "VIRTUAL" ? defaultDeploymentRepo : type === "LOCAL" ? key : undefined;
  if (target === undefined) throw new Refusal(405, `Repository ${key} does not take deployments`);
  return target;
}

/**
 * Throws `Refusal`: 501 for a deployment that names content only by its checksum or is a checksum, 409 for content whose
 * checksum differs from its header. @see docs/facts.md, artifacts
 */
function requireContent({ content, headers }: Asked, key: string): void {
  if (headers["x-checksum-deploy"] === "true") throw notModelled("deployments by checksum, without the content");
  if (/\.(md5|sha1|sha256)$/.test(key)) throw notModelled("checksums deployed as files");
  const { md5, sha1, sha256 } = content;
  for (const [name, values] of Object.entries({
    "": [md5, sha1, sha256],
    "-md5": [md5],
    "-sha1": [sha1],
    "-sha256": [sha256],
  })) {
    const sent = headers[`x-checksum${name}`];
    if (sent !== undefined && !values.includes(String(sent).toLowerCase()))
      throw new Refusal(409, `Checksum error for '${key}': expected ${sent}`);
  }
}

/** Adds files. Throws `Refusal` 409 if a file would replace a folder, or be below a file. */
function stored(items: Items, files: Items): Record<string, KeptItem> {
  const complete = withFolders({ ...items, ...files });
  for (const key of Object.keys(files)) {
    const parents = key.split("/").map((_name, index, names) => names.slice(0, index).join("/"));
    if (below(items, key).length > 0 || parents.some((parent) => complete[parent]?.file !== undefined))
      throw new Refusal(409, `${key} is where a folder is, or below a file`);
  }
  return complete;
}

/** Changes the properties of an item and, by default, of everything below it. @see docs/facts.md, artifacts */
function changeProperties(asked: Asked<ArtifactsState>, change: (old: Properties) => Properties) {
  requireAdmin(asked, "annotate");
  const top = requireItem(asked);
  const { items } = asked.state;
  const affected = choiceIn(asked, "recursive", ["0", "1"]) === "0" ? [top] : [top, ...below(items, top.key)];
  const changed = affected.map(({ key, item }) => [key, { ...item, properties: change(item.properties) }]);
  return { items: { ...items, ...Object.fromEntries(changed) } };
}

function cleaned(asked: Asked<ArtifactsState>, deleted: string) {
  requireAdmin(asked, "clean the trash");
  const { items } = asked.state;
  const key = `${trashcan}/${deleted}`;
  if (!Object.hasOwn(items, key)) throw new Refusal(404, `The trash has no ${deleted}`);
  return { body: "Removed from the trash", changes: { items: withoutItem(items, key) } };
}

/**
 * Parses `name=value1,value2|other=value`. `;` and `|` separate groups, `,` separates values, and a backslash before one of
 * them or `=` makes it a part of the text. Duplicate values count once. The official client also ends the last group. Throws
 * `Refusal` 400.
 *
 * @see docs/facts.md, artifacts: a backslash goes before
 */
export function parseProperties(text: string): Properties {
  const written = text.split(/(?<!\\)[|;]/).filter((group, at) => at === 0 || group !== "");
  const groups = written.map((group): [string, string[]] => {
    const [name = "", ...values] = group.trim().split(/(?<!\\)=/);
    if (!/^[a-zA-Z][^\s)(}{\][*+^$\\/~`!@#%&<>;=,±§]*$/.test(name))
      throw new Refusal(400, `Invalid property name: ${name}`);
    if (values.length === 0) throw new Refusal(400, `Property ${name} has no value`);
    const parts = values.join("=").split(/(?<!\\),/);
    return [name, [...new Set(parts.map((part) => part.replace(/\\([,=|;])/g, "$1")))]];
  });
  return Object.fromEntries(groups);
}
