import { Refusal } from "../refusal.ts";

/**
 * Refuses what may not be the name of an access section: 400. A pattern is judged by its shortest example, so
 * `^refs/heads/.*` (shortest: `refs/heads/`) is refused and `^refs/heads/.+` is not.
 */
export function checkRefPattern(ref: string): void {
  if (!/^\^?refs\//.test(ref)) throw new Refusal(400, "invalid section name");
  if (ref !== "refs/*" && !isRefName(exampleOf(ref)))
    throw new Refusal(400, `com.google.gerrit.exceptions.InvalidNameException: Invalid Name: ${ref}`);
}

/** The shortest ref that a pattern matches. Throws `Refusal` 500 for a broken regular expression, as the real server does. */
export function exampleOf(ref: string): string {
  if (!ref.startsWith("^")) return ref.endsWith("/*") ? ref.slice(0, -2) : ref;
  if (ref.includes('"') || !compiles(ref)) throw new Refusal(500);
  let pattern = ref
    .slice(1)
    .replace(/\$\{(username|shardeduserid)\}/g, "_")
    .replace(/\\(.)/g, (_, escaped: string) => (/\w/.test(escaped) ? escaped : "-"))
    .replace(/\[[^\]]+\]/g, "a");
  for (let before = ""; before !== pattern; ) {
    before = pattern;
    pattern = pattern.replace(/\(([^()]*)\)([*?+]?)/, (_, inner: string, quantifier: string) => {
      if (quantifier === "*" || quantifier === "?") return "";
      // The server's expressions have no lookahead: what begins one stays in the example, where no ref may have it.
      return inner.startsWith("?") ? ":" : shortest(inner);
    });
  }
  return shortest(pattern);
}

function compiles(pattern: string): boolean {
  try {
    new RegExp(pattern);
    return true;
  } catch {
    return false;
  }
}

/** The shortest text that one of the alternatives of a pattern without groups matches. */
function shortest(pattern: string): string {
  const [first = ""] = pattern
    .split("|")
    .map((choice) =>
      choice
        .replace(/[^*?][*?]/g, "")
        .replace(/(.)\+/g, "$1")
        .replace(/(.)\{(\d+)(,\d*)?\}/g, (_, atom: string, times: string) => atom.repeat(Number(times)))
        .replaceAll(".", "-"),
    )
    .sort((a, b) => a.length - b.length);
  return first;
}

/** The rules of `git check-ref-format`. */
function isRefName(name: string): boolean {
  return (
    name.includes("/") &&
    !name.endsWith(".") &&
    !name.includes("..") &&
    !name.includes("@{") &&
    !/[\s~^:?*[\\]/.test(name) &&
    name.split("/").every((part) => part !== "" && !part.startsWith(".") && !part.endsWith(".lock"))
  );
}
