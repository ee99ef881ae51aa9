/*
 * Ref patterns of a review service: a ref, a prefix before `/*`, or a regular expression after `^`. The service reads an
 * expression twice. To match, it reads it as Java does. To find its shortest match, it reads it as dk.brics.automaton
 * does, which has neither anchors nor lookaround nor classes such as `\d`; their characters are literal.
 */

/** The longest example that is made: expressions are foreign text. */
const longest = 10_000;

/** Returns the shortest ref that a pattern matches, and of several the first in order; undefined for a broken expression. */
export function exampleOf(pattern: string): string | undefined {
  if (!pattern.startsWith("^")) return pattern.endsWith("/*") ? pattern.slice(0, -2) : pattern;
  const expression = pattern.slice(1).replace(/\$\{\w+\}/g, "_");
  try {
    // After a quantifier, Java treats a plus as possessive and a brace as literal.
    new RegExp(expression.replace(/([?*+}])\+/g, "$1").replace(/([?*+}])\{/g, "$1\\{"));
    return shortestMatch(expression);
  } catch {
    return undefined;
  }
}

/** Returns the shortest match of an expression. Throws an error, whose message is never read, if it is broken. */
function shortestMatch(expression: string): string {
  let at = 0;
  const more = () => at < expression.length;
  const peek = (characters: string) => more() && characters.includes(expression.charAt(at));
  const take = (character: string) => {
    const isThere = peek(character);
    if (isThere) at++;
    return isThere;
  };
  const next = () => {
    if (!more()) throw new SyntaxError();
    return expression.charAt(at++);
  };
  const expect = (character: string) => {
    if (!take(character)) throw new SyntaxError();
  };
  const character = () => {
    take("\\");
    return next();
  };

  const union = (): string => {
    let best = sequence();
    while (take("|")) best = first(best, sequence());
    return best;
  };
  const sequence = () => {
    let text = repeated();
    while (more() && !peek(")|")) text += repeated();
    return text;
  };
  const repeated = () => {
    let text = atom();
    while (peek("?*+{")) {
      if (take("?") || take("*")) text = "";
      else if (!take("+")) text = times(text);
    }
    return text;
  };
  const times = (text: string) => {
    at++;
    const [count = "", least = ""] = /^(\d+)(?:,\d*)?/.exec(expression.slice(at, at + longest)) ?? [];
    if (least === "") throw new SyntaxError();
    at += count.length;
    expect("}");
    if (text.length * Number(least) > longest) throw new RangeError();
    return text.repeat(Number(least));
  };
  const atom = () => {
    if (take("[")) return oneOf();
    if (take(".")) return "-";
    if (take('"')) {
      const start = at;
      while (more() && !peek('"')) at++;
      expect('"');
      return expression.slice(start, at - 1);
    }
    if (!take("(")) return character();
    if (take(")")) return "";
    const text = union();
    expect(")");
    return text;
  };
  const oneOf = () => {
    const isNegated = take("^");
    let best = inClass();
    while (more() && !peek("]")) best = first(best, inClass());
    expect("]");
    // The first of all other characters is unprintable, and the service writes a hyphen for it.
    return isNegated ? "-" : best;
  };
  const inClass = () => {
    const from = character();
    if (!take("-")) return from;
    return peek("]") ? first(from, "-") : first(from, character());
  };

  const text = expression === "" ? "" : union();
  if (more()) throw new SyntaxError();
  return text;
}

function first(a: string, b: string): string {
  return a.length < b.length || (a.length === b.length && a < b) ? a : b;
}

/** Whether a name follows the rules of `git check-ref-format`. */
export function isRefName(name: string): boolean {
  return (
    name.includes("/") &&
    !name.endsWith(".") &&
    !name.includes("..") &&
    !name.includes("@{") &&
    !/[\p{Cc}\s~^:?*[\\]/u.test(name) &&
    name.split("/").every((part) => part !== "" && !part.startsWith(".") && !part.endsWith(".lock"))
  );
}
