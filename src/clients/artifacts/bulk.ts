import DataLoader from "dataloader";
import pLimit from "p-limit";
import { hasOnly, unlessMissing } from "../../core/problem.ts";
import { groupsBy } from "../../core/text/groups.ts";
import type { JsonObject } from "../../core/text/json.ts";
import type { SendCall } from "../service.ts";
import { artifactsOperations } from "./operations.ts";
import { queryText } from "./query.ts";
import type { ItemProperties, QueryAnswer } from "./records.ts";

/** The most items, and characters, of one query. @see docs/decisions/batching.md; docs/facts.md, artifacts */
const mostItems = 200;
const longestQuery = 6000;

/** How many concurrent queries a service accepts. @see docs/facts.md, artifacts */
const queriesAtOnce = 3;

/** The problems of a service that offers this account no queries, or none with properties. */
const noQuery = ["SP3004", "SP3005", "SP3007", "SP3103"] as const;

interface Item {
  readonly repo: string;
  /** The folder; `.` at the top. */
  readonly path: string;
  readonly name: string;
}

/**
 * Makes the reads of an artifact repository that are better made together. At most three queries run concurrently.
 * Properties that are requested in one tick are read by queries for as many items as fit. Items that no query finds, such
 * as those of a virtual repository, are read one by one. An item without properties has an empty record.
 */
export function bulkReads(call: SendCall<"query" | "getProperties" | "getItem">) {
  const limit = pLimit(queriesAtOnce);
  const query = (args: JsonObject) => limit(() => call("query", args));

  /** Throws for an item that does not exist or may not be read. @see docs/facts.md, artifacts: an item without properties answers 404 */
  async function propertiesOf(key: string): Promise<ItemProperties> {
    const place = placeOf(key);
    const found = await unlessMissing(call("getProperties", place), /no properties could be found/i);
    if (found !== undefined) return artifactsOperations.getProperties.result.parse(found);
    await call("getItem", place);
    return { properties: {} };
  }

  const single = (key: string): Promise<ItemProperties | Error> => propertiesOf(key).catch((error: Error) => error);

  async function found(keys: readonly string[]): Promise<ReadonlyMap<string, ItemProperties>> {
    try {
      const text = queryFor(keys.map(itemOf));
      return propertiesIn(artifactsOperations.query.result.parse(await query({ query: text })));
    } catch (error) {
      if (hasOnly(error, ...noQuery)) return new Map();
      throw error;
    }
  }

  async function load(keys: readonly string[]): Promise<readonly (ItemProperties | Error)[]> {
    if (keys.length === 1) return Promise.all(keys.map(single));
    const answers = await Promise.all(
      batches(keys).map(async (batch) => {
        const known = await found(batch);
        return Promise.all(batch.map((key) => known.get(key) ?? single(key)));
      }),
    );
    return answers.flat();
  }

  const loader = new DataLoader<string, ItemProperties>(load, { maxBatchSize: mostItems });
  return { query, getProperties: ({ repoKey, path }: JsonObject) => loader.load(`${repoKey}/${path}`) };
}

/** Splits the keys, in order, into batches that fit into one query's text. */
function batches(keys: readonly string[]): readonly (readonly string[])[] {
  const all: string[][] = [];
  for (const key of keys) {
    const last = all.at(-1);
    if (last !== undefined && queryFor([...last, key].map(itemOf)).length <= longestQuery) last.push(key);
    else all.push([key]);
  }
  return all;
}

/** Writes a query for items grouped by folder, which is shorter than naming each place. */
function queryFor(items: readonly Item[]): string {
  const folders = groupsBy(items, ({ repo, path }) => [repo, path]);
  const places = folders.map(({ first: { repo, path }, all }) => ({
    repo,
    path,
    $or: all.map(({ name }) => ({ name })),
  }));
  return queryText({
    find: "items",
    where: { $and: [{ $or: [{ type: "file" }, { type: "folder" }] }, { $or: places }] },
    include: ["repo", "path", "name", "property"],
  });
}

/** @see docs/facts.md, artifacts: an item with several properties can be returned in parts */
function propertiesIn({ results }: QueryAnswer): ReadonlyMap<string, ItemProperties> {
  const items = groupsBy(results, ({ repo, path, name }) => [repo, path, name]);
  return new Map(
    items.map(({ first: { repo = "", path = ".", name = "" }, all }) => {
      const names = Map.groupBy(
        all.flatMap(({ properties = [] }) => properties),
        ({ key }) => key,
      );
      const values = [...names].map(([key, pairs]) => [key, pairs.map(({ value = "" }) => value)] as const);
      const place = path === "." ? repo : `${repo}/${path}`;
      return [`${place}/${name}`, { properties: Object.fromEntries(values) }];
    }),
  );
}

function placeOf(key: string): { readonly repoKey: string; readonly path: string } {
  const slash = key.indexOf("/");
  return { repoKey: key.slice(0, slash), path: key.slice(slash + 1) };
}

function itemOf(key: string): Item {
  const [repo = "", ...names] = key.split("/");
  const name = names.pop() ?? "";
  return { repo, path: names.length === 0 ? "." : names.join("/"), name };
}
