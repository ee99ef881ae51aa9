import DataLoader from "dataloader";
import pLimit from "p-limit";
import { hasOnly, ProblemError, unlessMissing } from "../../core/problem.ts";
import type { Service } from "../../core/service.ts";
import { groupsBy } from "../../core/text/groups.ts";
import { isObject } from "../../core/text/json.ts";
import { type Supported, signedInAs, versionFound } from "../check.ts";
import type { Credentials } from "../credentials/credentials.ts";
import { type Answer, decodeJson, jsonIfAny } from "../http/answer.ts";
import type { Failure } from "../http/outcome.ts";
import { authorization } from "../http/protocol.ts";
import { describeService, type ReadCall, type SendCall } from "../service.ts";
import { artifactsOperations } from "./operations.ts";
import { queryText } from "./query.ts";
import type { ItemProperties, QueryAnswer } from "./records.ts";

/** Basic or Bearer, or an API key in the header that the wire has for it. */
function artifactsHeaders({ wire }: Service, credentials: Credentials): Readonly<Record<string, string>> {
  if (credentials.is !== "key") return authorization(credentials);
  return { [wire === "product" ? "x-jfrog-art-api" : "x-vendor-art-api"]: credentials.key.reveal() };
}

/**
 * Errors are `{"errors":[{"status","message"}]}`; a promotion has them as `messages`, and the token service can have one alone.
 * @see docs/facts.md, across services; docs/facts.md, Artifacts: an error of the token service
 */
function artifactsFailure(answer: Answer): Failure | undefined {
  const { status } = answer;
  if (status < 300) return undefined;
  const body = jsonIfAny(answer);
  const listed = isObject(body) ? [body.errors, blamedIn(body.messages), aloneIn(body)].flat() : [];
  const said = listed.flatMap((entry) => (isObject(entry) && typeof entry.message === "string" ? [entry.message] : []));
  const hidden = status === 404 && said.some((words) => hiding.test(words));
  const isOfTokens = status === 401 && listed.some((entry) => isObject(entry) && typeof entry.code === "string");
  const hint = status === 409 ? refusal : hidden ? concealed : isOfTokens ? tokenOnly : undefined;
  return { status, said: said.join("; "), own: said.length > 0, hidden, hint };
}

/** The words for an item that the account may not read, if the server hides such items. @see docs/facts.md, Artifacts: hide unauthorized resources */
const hiding = /^Resource not found\.?$/i;
const concealed =
  "The server hides what the account may not read, so nothing tells whether it exists: give the account permission to read it.";

/** @see docs/facts.md, Artifacts: an error of the token service */
const tokenOnly = "The token service accepts a valid token, usually no password: set SETPOINT_<SERVICE>_TOKEN to one.";

/** The messages of a refused promotion, without those that only tell its steps if others say why. @see docs/facts.md, Artifacts: the promotion of a build */
function blamedIn(messages: unknown): unknown {
  if (!Array.isArray(messages)) return messages;
  const blamed = messages.filter((entry) => isObject(entry) && /^(error|warning)$/i.test(String(entry.level)));
  return blamed.length === 0 ? messages : blamed;
}

/** An error of the token service; its detail usually repeats the message. */
function aloneIn({ code, message, detail }: Readonly<Record<string, unknown>>): object | undefined {
  if (typeof code !== "string" || typeof message !== "string") return undefined;
  if (typeof detail !== "string" || detail === "") return { message };
  return { message: detail.startsWith(message) ? detail : `${message}: ${detail}` };
}

/** @see docs/facts.md, Artifacts: 409 is */
const refusal = "Check the repository's policies, such as that for snapshots and releases, and its layout.";

/** A promotion, and above all a dry run of one, can be answered with status 200 and messages of which some are errors. */
function decodeArtifacts(answer: Answer): unknown {
  const body = decodeJson(answer);
  const messages: readonly unknown[] = isObject(body) && Array.isArray(body.messages) ? body.messages : [];
  const errors = messages.filter(isObject).filter(({ level }) => /^error$/i.test(String(level)));
  if (errors.length === 0) return body;
  throw new ProblemError({
    code: "SP3007",
    message: `The service reports errors: ${errors.map(({ message }) => String(message)).join("; ")}`,
    hint: "The message is from the service; check the values it names.",
  });
}

/** @see docs/decisions/versions.md: artifacts */
const artifactsVersions: Supported = {
  since: "7.21.1",
  why: "access tokens are issued and listed by the token service",
};

/** The artifact repository with its token service (Artifactory). @see docs/api/artifacts.md, authentication */
export const artifactsService = describeService({
  role: "artifacts",
  types: ["artifactory"],
  roots: {
    auth: {
      description: "of an artifact repository's tokens",
      default: (url) => url.replace(/\/artifactory$/, "").concat("/access"),
      signedIn: true,
    },
  },
  credentials: {
    accepted: [["TOKEN"], ["USERNAME", "PASSWORD"], ["USERNAME", "API_KEY"], ["API_KEY"]],
    source: "the menu of your name > Edit Profile > Generate an Identity Token",
  },
  protocol: { headers: artifactsHeaders, failure: artifactsFailure, decode: decodeArtifacts },
  get operations() {
    return artifactsOperations;
  },
  liveLists: [{ operation: "listRepositories", row: "listRepositories", args: {}, naturalName: "key" }],
  checks: {
    async account(read, { username }) {
      const repositories = await read.listRepositories({});
      return { says: `${signedInAs(username).says}, sees ${repositories.length} repositories` };
    },
    optional: {
      version: async (read) => versionFound(artifactsVersions, (await read.getServerVersion({})).version),
      async storage(read) {
        const { fileStoreSummary: store } = await read.getStorageInfo({});
        return { says: `${store.usedSpace} of ${store.totalSpace} used, ${store.freeSpace} free` };
      },
    },
  },
  proof: { product: "listRepositories", documented: "listRepositories" },
  versions: artifactsVersions,
  joinReads: bulkReads,
});

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
function bulkReads(
  call: SendCall<"query" | "getProperties" | "getItem">,
): Readonly<Record<"query" | "getProperties", ReadCall>> {
  const limit = pLimit(queriesAtOnce);
  const query: ReadCall = (args) => limit(() => call("query", args));

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
  return { query, getProperties: ({ repoKey, path }) => loader.load(`${repoKey}/${path}`) };
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

function propertiesIn({ results }: QueryAnswer): ReadonlyMap<string, ItemProperties> {
  return new Map(
    results.map(({ repo = "", path = ".", name = "", properties = [] }) => {
      const names = Map.groupBy(properties, ({ key }) => key);
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
