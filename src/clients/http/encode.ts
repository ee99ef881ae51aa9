import { onceFor } from "../../core/once.ts";
import type { Effect, Method, Operation } from "../../core/operation.ts";
import { ProblemError } from "../../core/problem.ts";
import { isObject, type Json, type JsonObject } from "../../core/text/json.ts";
import { type PathPattern, parsePath } from "./path.ts";

/** Where a request goes instead of to the service: to another URL of its entry, or to a URL that an argument gave. */
export type Root = { readonly is: "entry"; readonly name: string } | { readonly is: "given"; readonly url: string };

/** What a request sends: text, or the bytes of a file, whose SHA-256 can be stated. */
export type RequestBody = string | FileBody;
export interface FileBody {
  readonly file: string;
  readonly sha256?: string;
}

/** A request without its server and its credentials. */
export interface EncodedRequest {
  readonly effect: Effect;
  readonly method: Method;
  /** Default: the service itself. */
  readonly root?: Root | undefined;
  /** Path and query, percent-encoded; it must be sent as it is, since a URL parser would undo `%2E%2E`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: RequestBody;
  /** Whether a redirect is followed, as that of a file is. */
  readonly follows?: boolean;
}

type Row = Pick<
  Operation,
  "effect" | "method" | "path" | "body" | "type" | "nested" | "headers" | "answer" | "follows" | "args"
>;

/** Where a row's arguments go: the same for every call of it. */
interface Layout {
  readonly pattern: PathPattern;
  /** The names in the query, in order. A name that is not an argument is a flag. */
  readonly query: readonly { readonly name: string; readonly isFlag: boolean }[];
  readonly headers: readonly (readonly [argument: string, field: string])[];
  /** Arguments that are not in the body. */
  readonly placed: ReadonlySet<string>;
}

const layoutOf = onceFor((row: Row): Layout => {
  const pattern = parsePath(row.path);
  const { shape } = row.args;
  const headers = Object.entries(row.headers ?? {});
  const placed = new Set([
    ...pattern.query,
    ...pattern.segments.flatMap((segment) => ("argument" in segment ? [segment.argument] : [])),
    ...headers.map(([name]) => name),
    ...(pattern.root === undefined ? [] : [pattern.root]),
    ...(row.answer === "file" ? ["to"] : []),
  ]);
  const rest = row.body === "none" ? Object.keys(shape).filter((name) => !placed.has(name)) : [];
  const query = [...pattern.query, ...rest].map((name) => ({ name, isFlag: !(name in shape) }));
  return { pattern, query, headers, placed };
});

/**
 * Encodes a call as a request. `fields` are form fields that are not arguments, such as credentials.
 *
 * Throws `ProblemError` SP1002 if an argument cannot be sent in its place.
 */
export function encodeRequest(
  operation: Row,
  args: JsonObject,
  fields: Readonly<Record<string, string>> = {},
): EncodedRequest {
  const { pattern, query, headers: named, placed } = layoutOf(operation);
  const path = `${encodePath(pattern, operation, args)}${encodeQuery(query, args)}`;
  const rest = Object.entries(args).filter(([name, value]) => value !== undefined && !placed.has(name));
  const { headers, ...body } = encodeBody(operation, rest, { ...fields, ...pattern.fixed });
  const given = named.flatMap(([name, field]) => scalars(name, args[name]).map((value) => [field, value]));
  return {
    effect: operation.effect,
    method: operation.method,
    root: rootOf(pattern.root, args),
    path,
    headers: { ...headers, ...Object.fromEntries(given) },
    ...body,
    follows: operation.follows ?? false,
  };
}

function encodePath({ segments }: PathPattern, operation: Row, args: JsonObject): string {
  let path = "";
  for (const segment of segments) {
    const text = "literal" in segment ? segment.literal : encodePlace(operation, args, segment.argument);
    if (text !== undefined) path += `/${text}`;
  }
  // An argument that is left out leaves the slash before it; a root alone has no slash.
  return path === "" && segments.length > 0 ? "/" : path;
}

function encodeQuery(query: Layout["query"], args: JsonObject): string {
  const parts = query.flatMap(({ name, isFlag }) =>
    isFlag ? [name] : scalars(name, args[name]).map((value) => `${percentEncode(name)}=${percentEncode(value)}`),
  );
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}

function rootOf(name: string | undefined, args: JsonObject): Root | undefined {
  if (name === undefined) return undefined;
  const url = args[name];
  return typeof url === "string" ? { is: "given", url } : { is: "entry", name: name.replace(/Url$/, "") };
}

/** Encodes an argument for its place in the path. Undefined for one that can be several segments and is left out. */
function encodePlace({ nested }: Row, args: JsonObject, name: string): string | undefined {
  const joint = nested?.[name];
  const value = args[name];
  if (joint !== undefined && value === undefined) return undefined;
  if (joint === undefined || typeof value !== "string") return encodeSegment(name, value);
  return value
    .split("/")
    .map((part) => encodeSegment(name, part))
    .join(joint);
}

function encodeBody(
  { body: form, type = "text/plain" }: Row,
  args: readonly (readonly [string, Json | undefined])[],
  fields: Readonly<Record<string, string>>,
): Pick<EncodedRequest, "headers" | "body"> {
  switch (form) {
    case "none":
      return { headers: {} };
    case "json":
    case "value":
      return {
        headers: { "content-type": "application/json; charset=UTF-8" },
        body: JSON.stringify(form === "json" ? Object.fromEntries(args) : onlyOne(args)),
      };
    case "text":
      return {
        headers: { "content-type": `${type}; charset=UTF-8` },
        body: args.some(([name]) => name === "file") ? fileBody(args) : scalars("of the body", onlyOne(args)).join(""),
      };
    case "file":
      return { headers: { "content-type": "application/octet-stream" }, body: fileBody(args) };
    case "form": {
      const pairs = args
        .flatMap(([name, value]) => Object.entries<Json | undefined>(isObject(value) ? value : { [name]: value }))
        .flatMap(([name, value]) => scalars(name, value).map((text): [string, string] => [name, text]));
      return {
        headers: { "content-type": "application/x-www-form-urlencoded;charset=UTF-8" },
        body: new URLSearchParams([...Object.entries(fields), ...pairs]).toString(),
      };
    }
  }
}

function fileBody(args: readonly (readonly [string, Json | undefined])[]): FileBody {
  const sha256 = args.find(([name]) => name === "sha256")?.[1];
  const file = String(onlyOne(args.filter(([name]) => name !== "sha256")));
  return { file, ...(typeof sha256 === "string" ? { sha256 } : {}) };
}

/** The value of the only argument that is left for the body. */
function onlyOne(args: readonly (readonly [string, Json | undefined])[]): Json {
  const [first, ...more] = args;
  if (first?.[1] === undefined || more.length > 0)
    throw invalid(first?.[0] ?? "of the body", "is required, and must be the only one left for the body");
  return first[1];
}

function encodeSegment(name: string, value: Json | undefined): string {
  const [text = "", ...more] = scalars(name, value);
  if (text === "" || more.length > 0) throw invalid(name, "must be one non-empty value");
  return text === "." || text === ".." ? text.replaceAll(".", "%2E") : percentEncode(text);
}

/** Like `encodeURIComponent`, but also encodes what RFC 3986 reserves as sub-delimiters. */
function percentEncode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
}

function scalars(name: string, value: Json | undefined): readonly string[] {
  if (value === undefined) return [];
  const values: readonly Json[] = Array.isArray(value) ? value : [value];
  return values.map((one) => {
    if (typeof one === "string" && !one.isWellFormed()) throw invalid(name, "contains half of a surrogate pair");
    if (typeof one === "string") return one;
    if (typeof one === "number" || typeof one === "boolean") return String(one);
    throw invalid(name, "must be text, a number or a boolean, or a list of them");
  });
}

function invalid(name: string, reason: string): ProblemError {
  return new ProblemError({
    code: "SP1002",
    message: `The argument ${name} ${reason}.`,
    hint: "Nothing was sent. Correct the value.",
  });
}
