import { withoutEnd } from "../../core/text/words.ts";

/** How an address differs from the one that the credentials are bound to. Undefined if they may be sent to it. */
export type Mismatch = "origin" | "path" | undefined;

/**
 * Compares the URL of a service with the one that its credentials are bound to. Scheme, host and port must be the same,
 * and the path must be the bound one or below it. A `bound` that is not a URL matches nothing.
 */
export function mismatchOf(url: string, bound: string): Mismatch {
  const [wanted, allowed] = [new URL(url), URL.parse(bound)];
  if (allowed === null || allowed.origin !== wanted.origin) return "origin";
  const [inside, outside] = [segmentsOf(wanted), segmentsOf(allowed)];
  if (inside === undefined || outside === undefined) return "path";
  return outside.every((segment, index) => segment === inside[index]) ? undefined : "path";
}

/**
 * Returns the segments of a path, decoded once. The URL parser has resolved `.`, `..` and `%2e%2e`. Undefined if a server
 * might still read a different path: an encoded slash, anything encoded twice, parameters after `;`, empty segments.
 */
function segmentsOf({ pathname }: URL): readonly string[] | undefined {
  const written = withoutEnd(pathname.replace(/^\//, ""), "/");
  if (written === "") return [];
  try {
    const segments = written.split("/").map(decodeURIComponent);
    return segments.some((segment) => segment === "" || /[/\\;%\p{Cc}]/u.test(segment)) ? undefined : segments;
  } catch {
    return undefined;
  }
}
