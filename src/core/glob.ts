import { RE2JS } from "re2js";

/** Characters that a pattern of names may have: longer ones are a mistake. */
export const longestPattern = 200;

/** What has a meaning in a pattern. */
const marks = "*?[{\\";

/**
 * Whether a name fits one of the patterns, in a time that grows with pattern and name alike and no faster: `*` stands for
 * any characters, slashes too, `?` for one, `{a,b}` for either, `[ab]` and `[a-z]` for one of some, `[!ab]` for any
 * other, and a backslash makes the next character stand for itself. Where `known` names fewer marks, such as `*` alone,
 * the others stand for themselves.
 */
export function namePattern(patterns: readonly string[], known = marks): (name: string) => boolean {
  const foreign = (mark: string) => (known.includes(mark) ? mark : `\\${mark}`);
  const matchers = patterns.map((pattern) => matcherOf(pattern.replace(/[*?[{\\]/g, foreign), translated));
  return (name) => matchers.some((matches) => matches(name));
}

/** Stands for a dot at the beginning of a file's name, which only a dot in a pattern matches. */
const hidden = "\0";

/**
 * Whether a path fits one of the globs, in linear time as above: `*`, `?` and `[ab]` stay within a name, `**` stands for
 * any folders, `{a,b}` for either. A name that begins with a dot is matched by a pattern that has the dot.
 */
export function pathPattern(globs: readonly string[]): (path: string) => boolean {
  const matchers = globs.map((glob) => matcherOf(glob.replace(/^(?:\.\/)+/, ""), translatedPath));
  return (path) => {
    const shown = path.replace(/(^|\/)\./g, `$1${hidden}`);
    return matchers.some((matches) => matches(shown));
  };
}

/** Any folders once and one star: nothing that could take a long time to match in any way. */
const simple = /^[^*?[{\\]*(?:\*\*\/)?[^*?[{\\]*\*?[^*?[{\\]*$/;

/** What matches a pattern. Most are simple, and JavaScript's own expressions are at hand; RE2's take a while to load. */
function matcherOf(pattern: string, translate: (token: string) => string): (text: string) => boolean {
  const expression = expressionOf(pattern, translate);
  if (simple.test(pattern)) {
    const own = new RegExp(`^(?:${expression.replaceAll("\\x{", "\\u{")})$`, "su");
    return (text) => own.test(text);
  }
  const matcher = RE2JS.compile(expression, RE2JS.DOTALL);
  return (text) => matcher.testExact(text);
}

/** The regular expression of a pattern. A brace or bracket that is never closed stands for itself. */
function expressionOf(pattern: string, translate: (token: string) => string): string {
  const parts: string[] = [];
  /** Where each group that is open begins, and its commas. */
  const groups: number[][] = [];
  for (const [token] of pattern.matchAll(/\\.|\[[!^]?\]?[^\]]*\]|(?<![^/{,])\*\*(?:\/|(?![^},]))|./gsu)) {
    const at = parts.push(translate(token)) - 1;
    if (token === "{") groups.push([at]);
    else if (token === ",") groups.at(-1)?.push(at);
    else if (token === "}") {
      const group = groups.pop();
      if (group === undefined || group.length < 2) continue;
      for (const [index, place] of group.entries()) parts[place] = index === 0 ? "(?:" : "|";
      parts[at] = ")";
    }
  }
  return parts.join("");
}

/** A token of a pattern of paths. */
function translatedPath(token: string): string {
  const inName = `[^/\\x{0}]`;
  if (token === "**/") return `(?:${inName}+/)*`;
  if (token === "**") return `(?:${inName}+/)*${inName}+`;
  if (token === "*") return `${inName}*`;
  if (token === "?") return inName;
  if (token === ".") return "[.\\x{0}]";
  return translated(token).replace(/^\[\^/, `[^/\\x{0}`);
}

function translated(token: string): string {
  if (token.startsWith("**")) return token.replace("**", ".*.*");
  if (token === "*") return ".*";
  if (token === "?") return ".";
  const [, not, members] = /^\[([!^]?)(.+)\]$/su.exec(token) ?? [];
  if (members === undefined) return literal(token.length > 1 ? token.replace(/^\\/, "") : token);
  const ranges = [...members.matchAll(/(.)-(.)|./gsu)].map(([text, low = "", high = ""]) =>
    numberOf(low) < numberOf(high) ? `${literal(low)}-${literal(high)}` : literal(text),
  );
  return `[${not === "" ? "" : "^"}${ranges.join("")}]`;
}

/** Characters by their numbers, so that none of them means anything. */
function literal(text: string): string {
  return Array.from(text, (character) => `\\x{${numberOf(character).toString(16)}}`).join("");
}

function numberOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}
