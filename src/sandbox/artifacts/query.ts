import { isObject } from "../../core/text/json.ts";
import { jsonIn } from "../../core/text/json-text.ts";
import { isAdmin } from "../accounts.ts";
import type { Answers, Asked } from "../exchange.ts";
import { notModelled, Refusal } from "../refusal.ts";
import { mediaType } from "../request.ts";
import { select, timestamp } from "./items.ts";
import { isOfProduct, matcher, type Row, scalarOrder } from "./query-match.ts";
import { type ArtifactsState, trashcan } from "./state.ts";

type Fields = Readonly<Record<Query["domain"], readonly string[]>>;

const fields: Fields = {
  items:
    "repo path name type size depth created created_by modified modified_by updated actual_md5 actual_sha1 sha256".split(
      " ",
    ),
  builds: "name number created created_by started url".split(" "),
};

/** The fields by which the rights of users other than administrators are looked up. @see docs/facts.md, Artifacts */
const permitting = ["repo", "path", "name"];

/** The fields of an answer unless `include` names others. */
const shownByDefault: Fields = {
  items: "repo path name type size created created_by modified modified_by updated".split(" "),
  builds: "name number created created_by url".split(" "),
};

export const queryAnswers = {
  query(asked) {
    // Some clients upload a query as a file. @see docs/facts.md, artifacts: without a content type
    if (!["", "text/plain"].includes(mediaType(asked))) throw new Refusal(415);
    const query = parseQuery(asked.body);
    const members = new Map(asked.state.repositories.map(({ key, members }) => [key, members]));
    const matches = matcher(query.where, fields[query.domain], Date.parse(timestamp(asked)), members);
    const rows = query.domain === "items" ? itemRows(asked) : buildRows(asked);
    const typed = query.domain === "builds" || JSON.stringify(query.where).includes('"type":');
    const found = rows.filter((row) => matches(row) && (typed || row.fields.type === "file"));
    const names = shownOf(query);
    if (query.domain === "items" && !isAdmin(asked.account) && !permitting.every((name) => names.includes(name)))
      throw new Refusal(400, "For permissions reasons AQL demands the following fields: repo, path and name.");
    const sorted = query.sort === undefined ? found : [...found].sort(comparer(query, names));
    const shown = sorted.slice(query.offset, query.limit === undefined ? undefined : query.offset + query.limit);
    return {
      body: {
        results: shown.map((row) => view(row, query, names)),
        range: {
          start_pos: query.offset,
          end_pos: query.offset + shown.length,
          total: shown.length,
          limit: query.limit,
        },
      },
    };
  },
} satisfies Answers<ArtifactsState>;

function itemRows({ state }: Asked<ArtifactsState>): readonly Row[] {
  return select(state.items, ({ key }) => !key.startsWith(`${trashcan}/`)).map(({ key, item }) => {
    const [repo = "", ...names] = key.split("/");
    const name = names.pop() ?? "";
    return {
      fields: {
        repo,
        path: names.length === 0 ? "." : names.join("/"),
        name,
        type: item.file === undefined ? "folder" : "file",
        size: item.file?.size ?? 0,
        depth: names.length + 1,
        created: item.created,
        created_by: item.createdBy,
        modified: item.modified,
        modified_by: item.createdBy,
        updated: item.modified,
        actual_md5: item.file?.md5,
        actual_sha1: item.file?.sha1,
        sha256: item.file?.sha256,
      },
      properties: item.properties,
    };
  });
}

function buildRows({ state, base }: Asked<ArtifactsState>): readonly Row[] {
  return Object.entries(state.builds).flatMap(([name, builds]) =>
    Object.entries(builds).map(([number, { started, properties }]) => ({
      fields: {
        name,
        number,
        created: started,
        created_by: "admin",
        started,
        url: `${base}/api/build/${encodeURIComponent(name)}/${encodeURIComponent(number)}`,
      },
      properties: Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, [value]])),
    })),
  );
}

/** Returns a comparison of rows for a `sort` such as `{"$desc": ["created"]}`. */
function comparer({ domain, sort }: Query, shown: readonly unknown[]): (a: Row, b: Row) => number {
  const [direction = "", listed] = isObject(sort) ? (Object.entries(sort)[0] ?? []) : [];
  const names: readonly unknown[] = Array.isArray(listed) ? listed : [];
  const known: readonly unknown[] = fields[domain];
  const other = names.find((name) => isOfProduct(String(name)) && !known.includes(name));
  if (other !== undefined) throw notModelled(`sorting by ${other} in queries`);
  if (!["$asc", "$desc"].includes(direction) || names.length === 0 || !names.every((name) => known.includes(name)))
    throw new Refusal(400, "Failed to parse query: sort takes $asc or $desc with a list of fields");
  if (!names.every((name) => shown.includes(name)))
    throw new Refusal(400, "Only the result fields are allowed to use in the sort section.");
  const sign = direction === "$asc" ? 1 : -1;
  const value = ({ fields: row }: Row, name: unknown) => row[String(name)] ?? "";
  return (a, b) => sign * (names.map((name) => scalarOrder(value(a, name), value(b, name))).find(Boolean) ?? 0);
}

/** Returns a row with the requested fields; `property` and `@name` add properties. */
function view({ fields: row, properties }: Row, { include }: Query, shown: readonly string[]): unknown {
  const pairs = Object.entries(properties)
    .filter(([name]) => include.includes("property") || include.includes(`@${name}`))
    .flatMap(([key, values]) => values.map((value) => ({ key, value })));
  return {
    ...Object.fromEntries(shown.map((name) => [name, row[name]])),
    properties: pairs.length > 0 ? pairs : undefined,
  };
}

/** Returns the fields of an answer's rows. Throws `Refusal` for an unknown name in `include`. */
function shownOf({ domain, include }: Query): readonly string[] {
  const known = fields[domain];
  const unknown = include.find(
    (name) => !(known.includes(name) || name === "*" || name === "property" || name.startsWith("@")),
  );
  if (unknown !== undefined && isOfProduct(unknown)) throw notModelled(`the field ${unknown} in queries`);
  if (unknown !== undefined) throw new Refusal(400, `Failed to parse query: unknown field ${unknown}`);
  const named = include.filter((name) => known.includes(name));
  return include.includes("*") ? known : named.length === 0 ? shownByDefault[domain] : named;
}

/** A query that is parsed but not yet interpreted: `where` holds the objects as they were written. */
interface Query {
  readonly domain: "items" | "builds";
  readonly where: readonly unknown[];
  /** Without `.*` at their ends. */
  readonly include: readonly string[];
  readonly sort: unknown;
  readonly offset: number;
  readonly limit: number | undefined;
}

/** The maximum length of a query, in characters. @see docs/facts.md, artifacts */
const longest = 6000;

const quoted = '"(?:[^"\\\\]|\\\\.)*"';
const call = new RegExp(`\\s*\\.\\s*(\\w+)\\s*\\(((?:${quoted}|[^"()])*)\\)\\s*`, "y");

/** The calls of a query, in their required order. @see docs/facts.md, Artifacts */
const parts = ["find", "include", "sort", "offset", "limit"];

/** Parses `items.find({…}).include("…").sort({…}).offset(1).limit(2)`. Throws `Refusal` 400, which says where it fails. */
export function parseQuery(text: string): Query {
  if (text.length > longest) throw new Refusal(400, `The query is longer than ${longest} characters`);
  const [front = "", domain = ""] = /^\s*(\w+)/.exec(text) ?? [];
  if (domain !== "items" && domain !== "builds")
    throw isOfProduct(domain) ? notModelled(`queries for ${domain}`) : wrong(text, 0);
  const given = new Map<string, readonly unknown[]>();
  for (let at = front.length, left = parts; at < text.length; at = call.lastIndex) {
    call.lastIndex = at;
    const [, name = "", list = ""] = call.exec(text) ?? [];
    if (["distinct", "transitive"].includes(name)) throw notModelled(`${name} in queries`);
    if (!left.includes(name)) throw wrong(text, at);
    left = left.slice(left.indexOf(name) + 1);
    const values = readList(list);
    if (values === undefined) throw wrong(text, at);
    given.set(name, values);
  }
  const where = given.get("find");
  if (where === undefined) throw wrong(text, front.length);
  return {
    domain,
    where,
    include: (given.get("include") ?? [])
      .filter((field) => typeof field === "string")
      .map((field) => field.replace(/\.\*$/, "")),
    sort: given.get("sort")?.[0],
    offset: count(given.get("offset")?.[0]) ?? 0,
    limit: count(given.get("limit")?.[0]),
  };
}

/** Parses comma-separated JSON values, in which object keys need no quotes; undefined if they are malformed. */
function readList(list: string): readonly unknown[] | undefined {
  const names = new RegExp(`${quoted}|([$@\\w]+)(?=\\s*:)`, "g");
  const json = list.replace(names, (whole, name?: string) => (name === undefined ? whole : JSON.stringify(name)));
  const values = jsonIn(`[${json}]`);
  return Array.isArray(values) ? values : undefined;
}

function count(value: unknown): number | undefined {
  if (value === undefined || (typeof value === "number" && Number.isInteger(value) && value >= 0)) return value;
  throw new Refusal(400, "Failed to parse query: expected a number of rows");
}

function wrong(text: string, at: number): Refusal {
  const rest = text.slice(at).trim();
  return new Refusal(
    400,
    `Failed to parse query: ${text}, it looks like there is syntax error near the following sub-query: ${rest}`,
  );
}
