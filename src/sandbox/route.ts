import { type PathPattern, parsePath } from "../clients/http/path.ts";
import type { Operation } from "../core/operation.ts";
import { literalPattern } from "../core/text/words.ts";
import type { ServiceRequest } from "./exchange.ts";
import { Refusal } from "./refusal.ts";

/** A client's row as a stand-in answers it. `query` are arguments in the query that other clients send. */
export type StandInRow = Operation & { readonly query?: readonly string[] };

/** A row of a service's table, with one of its paths parsed. */
interface Route extends PathPattern {
  readonly name: string;
  readonly operation: StandInRow;
  /** Matches the raw path; its groups are the arguments. */
  readonly pattern: RegExp;
  /** Names in the path's query that are not arguments: a request must have them. */
  readonly flags: readonly string[];
}

/** The row that a request is for, and the arguments from the request's path. */
export interface Match extends Route {
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Prepares the rows of a table for matching. A row with a separate path of the product has two routes. `urls` holds the
 * paths of the roots other than the service's URL.
 */
export function routesOf(
  table: Readonly<Record<string, StandInRow>>,
  urls: Readonly<Record<string, string>>,
): readonly Route[] {
  return Object.entries(table).flatMap(([name, operation]) =>
    [operation.path, ...(operation.product === undefined ? [] : [operation.product])].map((path) => {
      const parsed = parsePath(path);
      const front = Object.entries(urls).find(([url]) => parsed.root === `${url}Url`)?.[1] ?? "";
      const sources = parsed.segments.map((segment) =>
        "literal" in segment ? `/${literalPattern(segment.literal)}` : argumentSource(segment.argument, operation),
      );
      return {
        ...parsed,
        name,
        operation,
        pattern: new RegExp(`^${front}${sources.join("")}$`),
        flags: parsed.query.filter((flag) => !(flag in operation.args.shape)),
      };
    }),
  );
}

/**
 * Returns the regular expression of an argument: one segment, or all segments of a nested argument with their separators.
 * An optional nested argument also matches nothing.
 */
function argumentSource(argument: string, { nested, args }: Operation): string {
  const joint = nested?.[argument];
  if (joint === undefined) return `/(?<${argument}>[^/]+)`;
  const source = `/(?<${argument}>[^/]+(?:${joint}[^/]+)*)`;
  return args.shape[argument]?.safeParse(undefined).success ? `(?:${source})?` : source;
}

/**
 * Finds the row that a request is for. Arguments are taken from the raw path and then decoded, so that `a%2Fb` is one
 * segment. If several rows match, one whose header fields the request has, then the one with the fewest arguments, then the
 * most flags, then the most segments wins.
 * HEAD is answered as GET. Throws `Refusal`: 404 for an unknown path, 405 for a method the path does not have, 400 for a
 * path that is not percent-encoded text, and for a fixed form field (an action) that no row has.
 */
export function matchRoute(
  routes: readonly Route[],
  request: Pick<ServiceRequest, "method" | "path" | "query" | "body" | "headers">,
): Match {
  const isMarked = ({ operation }: Route) =>
    Object.values(operation.headers ?? {}).some((name) => name in request.headers);
  requireEncoded(request.path);
  const method = request.method === "HEAD" ? "GET" : request.method;
  const here = routes
    .filter(({ flags }) => flags.every((flag) => request.query.has(flag)))
    .flatMap((route) => {
      const found = route.pattern.exec(request.path);
      return found === null ? [] : [{ ...route, params: decoded(found.groups ?? {}, route.operation) }];
    })
    .sort(
      (a, b) =>
        Number(isMarked(b)) - Number(isMarked(a)) ||
        Object.keys(a.params).length - Object.keys(b.params).length ||
        b.flags.length - a.flags.length ||
        b.segments.length - a.segments.length,
    );
  if (here.length === 0) throw new Refusal(404);
  const allowed = here.filter(({ operation }) => operation.method === method);
  if (allowed.length === 0) {
    const methods = new Set(here.map(({ operation }) => operation.method));
    throw new Refusal(405, undefined, { allow: [...methods].join(", ") });
  }
  const form = new URLSearchParams(request.body);
  const match = allowed.find(({ fixed }) => Object.entries(fixed).every(([name, value]) => form.get(name) === value));
  if (match !== undefined) return match;
  const unknown = Object.keys(allowed[0]?.fixed ?? {}).map((name) => `${name} ${form.get(name) ?? "(none)"}`);
  throw new Refusal(400, `Unknown ${unknown.join(", ")}`);
}

function decoded(
  params: Readonly<Record<string, string | undefined>>,
  { nested }: Operation,
): Readonly<Record<string, string>> {
  const entries = Object.entries(params).flatMap(([name, raw]) => {
    if (raw === undefined) return [];
    const { [name]: joint = "/" } = nested ?? {};
    const parts = raw.split(joint).map(decodeURIComponent);
    // If the separator is a word, an encoded slash within a part must not act as another separator.
    if (joint !== "/" && parts.some((part) => part.includes("/"))) throw new Refusal(404);
    return [[name, parts.join("/")]];
  });
  return Object.fromEntries(entries);
}

function requireEncoded(path: string): void {
  try {
    decodeURIComponent(path);
  } catch {
    throw new Refusal(400, "The path is not percent-encoded UTF-8.");
  }
}
