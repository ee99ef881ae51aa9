import { own } from "../../core/text/json.ts";
import { notModelled, Refusal } from "../refusal.ts";
import { type Issue, projectOf, type TrackerState } from "./state.ts";

/** A parsed query: which issues it finds, and their order. */
export interface Query {
  readonly finds: (issue: Issue) => boolean;
  readonly order: (a: Issue, b: Issue) => number;
}

type World = Pick<TrackerState, "issues" | "projects">;

/** A field: how it is read from an issue, its operators, and the value that a string in a query stands for. */
interface Field {
  readonly read: (issue: Issue) => string;
  readonly operators: readonly string[];
  readonly named?: (text: string, world: World) => string;
}

const equality = ["=", "!=", "in"];
const ordered = [...equality, "<", "<=", ">", ">="];

const key: Field = {
  read: (issue) => issue.key,
  operators: ordered,
  named: (text, { issues }) =>
    requireKnown(text, issues, `An issue with key '${text}' does not exist for field 'key'.`),
};
const issuetype: Field = { read: (issue) => issue.issuetype, operators: equality };

/** @see docs/facts.md, Tracker: a query that names what is not there */
const fields: Readonly<Record<string, Field>> = {
  key,
  issuekey: key,
  project: {
    read: projectOf,
    operators: equality,
    named: (text, { projects }) =>
      requireKnown(text, projects, `The value '${text}' does not exist for the field 'project'.`),
  },
  status: { read: ({ status }) => status, operators: equality },
  issuetype,
  type: issuetype,
  summary: { read: ({ summary }) => summary, operators: ["~", "!~"] },
  created: { read: ({ created }) => created, operators: ordered, named: readTime },
  updated: { read: ({ updated }) => updated, operators: ordered, named: readTime },
};

/** Fields of the product that the sandbox does not model. */
const fieldsOfProduct =
  "affectedversion assignee attachments category comment component components creator description due duedate environment filter fixversion id issue labels lastviewed level originalestimate parent priority project.key remainingestimate reporter resolution resolutiondate resolved sprint statuscategory text timespent voter votes watcher watchers worklogauthor";

/** Words of the product's language that the sandbox does not model. */
const wordsOfProduct = "or is was changed during before after by on empty null";

const token = /\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([<>]=?|!=|!~|[=~(),])|([^\s"'=~!<>(),]+))/y;

interface Token {
  /** In lower case unless quoted. */
  readonly word: string;
  readonly text: string;
  readonly quoted: boolean;
}

/**
 * Parses the part of the query language that the sandbox knows: clauses about one field each, joined by AND, and an order.
 * Throws `Refusal`: 501 for the rest of the language, 400 for anything else.
 */
export function parseJql(jql: string, world: World): Query {
  const rest = [...tokens(jql)];
  requireModelled(rest);
  const clauses: Query["finds"][] = [];
  while (rest.length > 0 && rest[0]?.word !== "order") {
    if (clauses.length > 0) expect(rest, "and");
    clauses.push(parseClause(rest, world));
  }
  return { finds: (issue) => clauses.every((clause) => clause(issue)), order: parseOrder(rest) };
}

function* tokens(jql: string): Generator<Token> {
  const pattern = new RegExp(token);
  const end = jql.trimEnd().length;
  while (pattern.lastIndex < end) {
    const at = pattern.lastIndex;
    const [match, double, single, mark, plain] = pattern.exec(jql) ?? [];
    if (match === undefined) throw invalid(`the character ${JSON.stringify(jql.slice(at).trim()[0])}`);
    const quoted = double ?? single;
    const text = quoted?.replace(/\\(.)/g, "$1") ?? mark ?? plain ?? "";
    yield { text, word: quoted === undefined ? text.toLowerCase() : "", quoted: quoted !== undefined };
  }
}

/** Throws `Refusal` 501 for alternatives, negations, functions, and operators about empty or former values. */
function requireModelled(all: readonly Token[]): void {
  for (const [index, { word, text }] of all.entries()) {
    const before = all[index - 1];
    const isNested = word === "(" && before?.word !== "in";
    const isOther = wordsOfProduct.split(" ").includes(word) && !(word === "by" && before?.word === "order");
    const isNegation = word === "not" && all[index + 1]?.word !== "in";
    if (isNested || isOther || isNegation) throw notModelled(`'${text}' in JQL`);
  }
}

function parseClause(rest: Token[], world: World): Query["finds"] {
  const name = rest[0]?.text ?? "";
  const { read, operators, named = (text) => text } = fieldOf(rest.shift());
  const operator = rest.shift();
  const negated = operator?.word === "not";
  if (negated) expect(rest, "in");
  const symbol = negated ? "in" : (operator?.word ?? "");
  const holds = own(tests, symbol);
  if (holds === undefined && symbol !== "in") throw invalid(`'${operator?.text ?? ""}' where an operator was expected`);
  if (!operators.includes(symbol))
    throw new Refusal(400, `The operator '${symbol}' is not supported by the '${name}' field.`);
  const values = (holds === undefined ? parseList(rest) : [literalOf(rest.shift())]).map((text) => named(text, world));
  return (issue) => values.some((value) => (holds ?? tests["="])(read(issue), value)) !== negated;
}

const tests = {
  "=": (field, value) => compare(field, value) === 0,
  "!=": (field, value) => compare(field, value) !== 0,
  "~": (field, value) => field.toLowerCase().includes(value.toLowerCase()),
  "!~": (field, value) => !field.toLowerCase().includes(value.toLowerCase()),
  "<": (field, value) => compare(field, value) < 0,
  "<=": (field, value) => compare(field, value) <= 0,
  ">": (field, value) => compare(field, value) > 0,
  ">=": (field, value) => compare(field, value) >= 0,
} satisfies Record<string, (field: string, value: string) => boolean>;

function parseList(rest: Token[]): readonly string[] {
  expect(rest, "(");
  const values = [literalOf(rest.shift())];
  while (rest[0]?.word === ",") {
    rest.shift();
    values.push(literalOf(rest.shift()));
  }
  expect(rest, ")");
  return values;
}

function parseOrder(rest: Token[]): Query["order"] {
  if (rest.length === 0) return (a, b) => compare(b.created, a.created) || compare(b.key, a.key);
  expect(rest, "order");
  expect(rest, "by");
  const orders: Query["order"][] = [];
  for (;;) {
    const { read } = fieldOf(rest.shift());
    const direction = rest[0]?.word === "asc" || rest[0]?.word === "desc" ? rest.shift()?.word : "asc";
    const sign = direction === "desc" ? -1 : 1;
    orders.push((a, b) => sign * compare(read(a), read(b)));
    if (rest.length === 0) break;
    expect(rest, ",");
  }
  return (a, b) => orders.map((order) => order(a, b)).find((result) => result !== 0) ?? 0;
}

function fieldOf(name: Token | undefined): Field {
  const field = name?.text.toLowerCase() ?? "";
  const known = own(fields, field);
  if (known !== undefined) return known;
  if (fieldsOfProduct.split(" ").includes(field) || /^cf\[\d+\]$/.test(field))
    throw notModelled(`the field ${field} in JQL`);
  throw new Refusal(400, `Field '${name?.text ?? ""}' does not exist or you do not have permission to view it.`);
}

function literalOf(value: Token | undefined): string {
  if (value === undefined || (!value.quoted && /^[(),]$/.test(value.text)))
    throw invalid(`'${value?.text ?? ""}' where a value was expected`);
  return value.text;
}

function expect(rest: Token[], word: string): void {
  const found = rest.shift();
  if (found?.word !== word) throw invalid(`'${found?.text ?? ""}' where '${word.toUpperCase()}' was expected`);
}

/** Returns the key of the record with a key or a name, in any case. Throws `Refusal` 400 with `missing` if there is none. */
function requireKnown(
  text: string,
  records: readonly { readonly key: string; readonly name?: string }[],
  missing: string,
): string {
  const record = records.find((one) => compare(one.key, text) === 0 || compare(one.name ?? "", text) === 0);
  if (record === undefined) throw new Refusal(400, missing);
  return record.key;
}

/** Parses a day, or a minute of a day, as UTC. Throws `Refusal`: 501 for a relative time, 400 for anything else. */
function readTime(text: string): string {
  if (/^[-+]?\d+[wdhm]/.test(text)) throw notModelled(`the relative time '${text}' in JQL`);
  const [, day, minute = "00:00"] = /^(\d{4}[-/]\d\d?[-/]\d\d?)(?: (\d\d?:\d\d))?$/.exec(text) ?? [];
  const time = Date.parse(`${day?.replaceAll("-", "/")} ${minute} UTC`);
  if (Number.isNaN(time))
    throw new Refusal(
      400,
      `Date value '${text}' is invalid. Valid formats include: 'yyyy/MM/dd HH:mm', 'yyyy-MM-dd HH:mm', 'yyyy/MM/dd', 'yyyy-MM-dd', or a period format e.g. '-5d', '4w 2d'.`,
    );
  return new Date(time).toISOString();
}

/** Compares times by time, and other strings in English order, digits as numbers and regardless of case. */
function compare(a: string, b: string): number {
  return isTime(a) && isTime(b)
    ? Date.parse(a) - Date.parse(b)
    : a.localeCompare(b, "en", { numeric: true, sensitivity: "accent" });
}

function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT/.test(text);
}

function invalid(found: string): Refusal {
  return new Refusal(400, `Error in the JQL Query: ${found}.`);
}
