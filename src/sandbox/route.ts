import { type PathPattern, parsePath } from "../clients/http/path.ts";
import type { Operation, OperationTable } from "../core/operation.ts";
import { Refusal } from "./refusal.ts";

/** A row of a service's table with one of its paths taken apart. */
export interface Route {
  readonly name: string;
  readonly operation: Operation;
  readonly pattern: PathPattern;
  /** Names that must stand in the query, since no argument has them. */
  readonly flags: readonly string[];
}

/** The row that a request is for, and the arguments in its path. */
export interface Match extends Route {
  readonly params: Readonly<Record<string, string>>;
}

/**
 * The rows of a table, ready for matching; a row with a path of the product's own has two routes. `roots` are the paths
 * of the roots that are not the service's URL, by the name that stands at the front of a row's path.
 */
export function routesOf(table: OperationTable, roots: Readonly<Record<string, string>> = {}): readonly Route[] {
  return Object.entries(table).flatMap(([name, operation]) =>
    [operation.path, ...(operation.product === undefined ? [] : [operation.product])].map((path) => {
      const { root, ...pattern } = parsePath(path);
      const front = root === undefined ? undefined : roots[root];
      const before =
        front === undefined
          ? []
          : front
              .split("/")
              .slice(1)
              .map((literal) => ({ literal }));
      return {
        name,
        operation,
        pattern: { ...pattern, root, segments: [...before, ...pattern.segments] },
        flags: pattern.query.filter((flag) => !(flag in operation.args.shape)),
      };
    }),
  );
}

/**
 * Finds the row that a request is for. Segments of the raw path are split before they are decoded, so that `a%2Fb` is
 * one segment; where several rows fit, the one with the fewest arguments, the most flags and the most fixed segments
 * wins. HEAD is answered as GET. Throws `Refusal`: 404 for an unknown path, 405 for a method the path does not have, 400
 * for a fixed form field (an action) that no row has.
 */
export function matchRoute(
  routes: readonly Route[],
  {
    method,
    path,
    query,
    body,
  }: {
    readonly method: string;
    readonly path: string;
    readonly query: URLSearchParams;
    readonly body: string;
  },
): Match {
  const parts = path.slice(1).split("/").map(decode);
  const here = routes
    .filter(({ flags }) => flags.every((flag) => query.has(flag)))
    .flatMap((route) => {
      const params = matchSegments(route.pattern.segments, parts, route.operation.nested ?? {});
      return params === undefined ? [] : [{ ...route, params }];
    })
    .sort(
      (a, b) =>
        Object.keys(a.params).length - Object.keys(b.params).length ||
        b.flags.length - a.flags.length ||
        b.pattern.segments.length - a.pattern.segments.length,
    );
  if (here.length === 0) throw new Refusal(404);
  const allowed = here.filter(({ operation }) => operation.method === (method === "HEAD" ? "GET" : method));
  if (allowed.length === 0) {
    const methods = new Set(here.map(({ operation }) => operation.method));
    throw new Refusal(405, undefined, { allow: [...methods].join(", ") });
  }
  const form = new URLSearchParams(body);
  const found = allowed.find(({ pattern }) =>
    Object.entries(pattern.fixed).every(([name, value]) => form.get(name) === value),
  );
  if (found !== undefined) return found;
  const fixed = Object.keys(allowed[0]?.pattern.fixed ?? {}).map((name) => `${name} ${form.get(name) ?? "(none)"}`);
  throw new Refusal(400, `Unknown ${fixed.join(", ")}`);
}

/** The arguments in a path; an argument of several segments takes as many as it can. */
function matchSegments(
  [segment, ...segments]: PathPattern["segments"],
  parts: readonly string[],
  nested: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | undefined {
  if (segment === undefined) return parts.length === 0 ? {} : undefined;
  if ("literal" in segment)
    return parts[0] === segment.literal ? matchSegments(segments, parts.slice(1), nested) : undefined;
  const joint = nested[segment.argument];
  for (let length = joint === undefined ? 1 : parts.length - segments.length; length > 0; length--) {
    const value = unjoin(parts.slice(0, length), joint);
    const others = value === undefined ? undefined : matchSegments(segments, parts.slice(length), nested);
    if (value !== undefined && others !== undefined) return { [segment.argument]: value, ...others };
  }
  return undefined;
}

/** The value that a row joined, such as `a/b` for `a`, `job`, `b`; undefined where the segments are none. */
function unjoin(parts: readonly string[], joint = "/"): string | undefined {
  const words = joint.split("/").slice(1, -1);
  const step = words.length + 1;
  if (parts.length % step !== 1 % step) return undefined;
  const values = parts.filter((_part, index) => index % step === 0);
  const between = parts.every((part, index) => index % step === 0 || part === words[(index % step) - 1]);
  return between && !values.includes("") ? values.join("/") : undefined;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Refusal(400, "The path is not percent-encoded UTF-8.");
  }
}
