import { jsonIn } from "../../core/text/json-text.ts";
import { notModelled, Refusal } from "../refusal.ts";
import { isOfProduct } from "./query-match.ts";

/** A query that is parsed but not yet interpreted: `where` holds the objects as they were written. */
export interface Query {
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
