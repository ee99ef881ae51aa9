import { isObject, own } from "../../core/text/json.ts";
import { inOrder } from "../../core/text/words.ts";
import { wildcard } from "../lists.ts";
import { notModelled, Refusal } from "../refusal.ts";

type Scalar = string | number | boolean;

/** An item or a build, as a query sees it. */
export interface Row {
  readonly fields: Readonly<Record<string, Scalar | undefined>>;
  readonly properties: Readonly<Record<string, readonly string[]>>;
}

type Match = (row: Row) => boolean;

/** Domains of the product's queries, with which a field name can begin, and fields of the product that no row here has. */
const domainsOfProduct =
  "archive archives artifact artifacts build builds dependencies dependency entries item items module modules promotion promotions properties property release releases stat stats";
const fieldsOfProduct = "id original_md5 original_sha1 virtual_repos modified modified_by";

/** Whether a name that the sandbox's queries do not know is a domain or a field in the product's queries. */
export function isOfProduct(name: string): boolean {
  const [front = ""] = name.split(".");
  return domainsOfProduct.split(" ").includes(front) || fieldsOfProduct.split(" ").includes(name);
}

const day = 86_400_000;

/** The units of relative times, in milliseconds; a month is 30 days and a year 365. */
const units: readonly (readonly [names: RegExp, milliseconds: number])[] = [
  [/^(ms|mills|millis|milliseconds?)$/, 1],
  [/^(s|seconds?)$/, 1000],
  [/^minutes?$/, 60_000],
  [/^(d|days?)$/, day],
  [/^(w|weeks?)$/, 7 * day],
  [/^(mo|months?)$/, 30 * day],
  [/^(y|years?)$/, 365 * day],
];

/** Compiles criteria into a test that a row meets all of them. Throws `Refusal` 400 for an unknown field or operator. */
export function matcher(
  where: readonly unknown[],
  known: readonly string[],
  now: number,
  members: ReadonlyMap<unknown, readonly string[]>,
): Match {
  return each({ $and: where });

  function each(criteria: unknown): Match {
    if (!isObject(criteria)) throw wrong("criteria are objects");
    const matches = Object.entries(criteria).map(([name, condition]) => one(name, condition));
    return (row) => matches.every((match) => match(row));
  }

  function one(name: string, condition: unknown): Match {
    const combined = own(combinations, name);
    if (combined !== undefined) {
      if (!Array.isArray(condition)) throw wrong(`${name} takes a list`);
      return combined(condition.map(each));
    }
    // @see docs/facts.md, Artifacts: a query for a virtual repository finds the items of its members
    const inMembers = name === "repo" ? (members.get(condition) ?? []) : [];
    if (inMembers.length > 0) return ({ fields }) => inMembers.includes(String(fields[name]));
    const tests = conditions(condition, name === "type");
    const meetsAll = (value: Scalar) => tests.every((test) => test(value));
    if (name.startsWith("@")) return ({ properties }) => (own(properties, name.slice(1)) ?? []).some(meetsAll);
    if (!known.includes(name))
      throw isOfProduct(name) ? notModelled(`${name} in queries`) : wrong(`unknown field ${name}`);
    return ({ fields }) => fields[name] !== undefined && meetsAll(fields[name]);
  }

  function conditions(condition: unknown, ofType: boolean): readonly Test[] {
    const operators = isObject(condition) ? Object.entries(condition) : [["$eq", condition] as const];
    return operators.map(([operator, operand]) => {
      if (operand === null) throw notModelled("null in queries");
      if (ofType && operator === "$eq" && operand === "any") return () => true;
      if (ofType && !["file", "folder"].includes(String(operand))) throw notModelled(`the type ${operand} in queries`);
      if (typeof operand !== "string" && typeof operand !== "number" && typeof operand !== "boolean")
        throw wrong(`${operator} takes text, a number or a boolean`);
      return testOf(operator, operand, now);
    });
  }
}

const combinations: Readonly<Record<string, (parts: readonly Match[]) => Match>> = {
  $and: (parts) => (row) => parts.every((match) => match(row)),
  $or: (parts) => (row) => parts.some((match) => match(row)),
  // Every part has to hold for the same single value of each property.
  $msp: (parts) => (row) => singleValues(row).some((single) => parts.every((match) => match(single))),
};

type Test = (value: Scalar) => boolean;

const orders: Readonly<Record<string, (order: number) => boolean>> = {
  $eq: (order) => order === 0,
  $ne: (order) => order !== 0,
  $gt: (order) => order > 0,
  $gte: (order) => order >= 0,
  $lt: (order) => order < 0,
  $lte: (order) => order <= 0,
};

function testOf(operator: string, operand: Scalar, now: number): Test {
  const compared = own(orders, operator);
  if (compared !== undefined)
    return (value) => (operator === "$eq" && operand === "*") || compared(scalarOrder(value, operand));
  switch (operator) {
    case "$match":
    case "$nmatch": {
      // @see docs/facts.md, Artifacts: a pattern with `%` or `^` matches nothing
      const isLost = /^[^_]*%[^_]*$|\^.*[_?]|_.*\^/.test(String(operand));
      const matches = isLost ? () => false : wildcard(String(operand));
      return (value) => matches(String(value)) === (operator === "$match");
    }
    case "$before":
    case "$last": {
      const limit = now - duration(String(operand));
      return (value) => Date.parse(String(value)) < limit === (operator === "$before");
    }
    default:
      throw wrong(`unknown operator ${operator}`);
  }
}

/** Returns a number below 0 if `a` comes first. Numbers and dates compare by value, other strings by code unit. */
export function scalarOrder(a: Scalar, b: Scalar): number {
  if (typeof a === "number") return a - Number(b);
  const [x, y] = [String(a), String(b)];
  return isDate(x) && isDate(y) ? Date.parse(x) - Date.parse(y) : inOrder(x, y);
}

function isDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d(T|$)/.test(text) && !Number.isNaN(Date.parse(text));
}

/** Parses a relative time such as `4w` or `3days` into milliseconds. */
function duration(text: string): number {
  const [, count = "", unit = ""] = /^(\d+)\s*([a-z]+)$/.exec(text) ?? [];
  const [, length] = units.find(([names]) => names.test(unit)) ?? [];
  if (length === undefined) throw wrong(`${JSON.stringify(text)} is no relative time such as 4w or 3days`);
  return Number(count) * length;
}

/** Returns one copy of the row for each of its property values, with only that value. */
function singleValues(row: Row): readonly Row[] {
  return Object.entries(row.properties).flatMap(([key, values]) =>
    values.map((value) => ({ fields: row.fields, properties: { [key]: [value] } })),
  );
}

function wrong(reason: string): Refusal {
  return new Refusal(400, `Failed to parse query: ${reason}`);
}
