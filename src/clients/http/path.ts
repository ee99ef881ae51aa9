import type { Operation } from "../../core/operation.ts";

/** One segment of a path: literal text, or the argument that takes its place. */
type Segment = { readonly literal: string } | { readonly argument: string };

/** The parsed path of an operation. A trailing slash is an empty last segment; a root alone has no segments. */
export interface PathPattern {
  /** The name of a root other than the service's URL: an argument, or a URL in the service's entry. */
  readonly root: string | undefined;
  readonly segments: readonly Segment[];
  /** Names of the arguments that are sent in the query if given. */
  readonly query: readonly string[];
  /** Form fields that always have the same value. */
  readonly fixed: Readonly<Record<string, string>>;
}

/**
 * Parses the path of an operation: `/a/{some-name}/b?x&y field=value`. A word in angle brackets is literal.
 *
 * @see src/core/operation.ts, `Operation`
 */
export function parsePath(path: string): PathPattern {
  const [target = "", ...fields] = path.replace(/[<>]/g, "").split(" ");
  const [full = "", query = ""] = target.split("?");
  const [front = "", root] = /^\{([a-z]+_url)\}/.exec(full) ?? [];
  const pathname = full.slice(front.length);
  return {
    root: root === undefined ? undefined : camelCase(root),
    segments: pathname === "" ? [] : pathname.slice(1).split("/").map(parseSegment),
    query: query === "" ? [] : query.split("&"),
    fixed: Object.fromEntries(
      fields.map((field): [string, string] => {
        const [name = "", value = ""] = field.split("=");
        return [name, value];
      }),
    ),
  };
}

/** Whether an operation is sent to the service itself, and not to a root beside it. */
export function isAtOwnRoot(operation: Operation | undefined): boolean {
  return parsePath(operation?.path ?? "").root === undefined;
}

function parseSegment(segment: string): Segment {
  const placeholder = /^\{([^{}]+)\}$/.exec(segment)?.[1];
  return placeholder === undefined ? { literal: segment } : { argument: camelCase(placeholder) };
}

function camelCase(name: string): string {
  return name.replace(/[-_]([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
}
