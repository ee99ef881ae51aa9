import { RE2JS } from "re2js";

/** The longest pattern of names that is accepted, in characters. */
export const longestPattern = 200;

/** The characters that have a meaning in a pattern. */
const marks = "*?[{\\";

/**
 * Returns a function that tests whether a name matches one of the patterns, in linear time. `*` matches any characters,
 * including slashes, `?` any one character, `{a,b}` either alternative, `[ab]` and `[a-z]` one character of a set, and
 * `[!ab]` one character outside it. A backslash makes the next character literal. If `known` names fewer marks, such as
 * `*` alone, the others are literal.
 */
export function namePattern(patterns: readonly string[], known = marks): (name: string) => boolean {
  const foreign = (mark: string) => (known.includes(mark) ? mark : `\\${mark}`);
  const matchers = patterns.map((pattern) => matcherOf(pattern.replace(/[*?[{\\]/g, foreign), translated));
  return (name) => matchers.some((matches) => matches(name));
}

/** Replaces a dot at the beginning of a file's name, which only a dot in a pattern matches. */
const hidden = "\0";

/**
 * Returns a function that tests whether a path matches one of the globs, in linear time. `*`, `?` and `[ab]` stay within
 * a name, `**` matches any folders, and `{a,b}` either alternative. A name that begins with a dot is matched only by a
 * pattern that has the dot.
 */
export function pathPattern(globs: readonly string[]): (path: string) => boolean {
  const matchers = globs.map((glob) => matcherOf(glob.replace(/^(?:\.\/)+/, ""), translatedPath));
  return (path) => {
    const shown = path.replace(/(^|\/)\./g, `$1${hidden}`);
    return matchers.some((matches) => matches(shown));
  };
}

/** A pattern with at most one `**` for folders and one star, which can never take long to match. */
const simple = /^[^*?[{\\]*(?:\*\*\/[^*?[{\\]*)?(?:\*[^*?[{\\]*)?$/;

/** Returns the matcher of a pattern. Most are simple and use JavaScript's own expressions; RE2's take a while to load. */
function matcherOf(pattern: string, translate: (token: string) => string): (text: string) => boolean {
  const expression = expressionOf(pattern, translate);
  if (simple.test(pattern)) {
    const own = new RegExp(`^(?:${expression.replaceAll("\\x{", "\\u{")})$`, "su");
    return (text) => own.test(text);
  }
  const matcher = RE2JS.compile(expression, RE2JS.DOTALL);
  return (text) => matcher.testExact(text);
}

/** The regular expression of a pattern. A brace or bracket that is never closed is literal. */
function expressionOf(pattern: string, translate: (token: string) => string): string {
  const parts: string[] = [];
  /** Where each open group begins, and where its commas are. */
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

/** Translates a token of a path pattern. */
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

/** Writes characters by their numbers, so that none has a special meaning. */
function literal(text: string): string {
  return Array.from(text, (character) => `\\x{${numberOf(character).toString(16)}}`).join("");
}

function numberOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}
