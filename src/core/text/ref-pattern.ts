/*
 * Ref patterns of a review service: a ref, a prefix before `/*`, or a regular expression after `^`. The service reads an
 * expression twice. To match, it reads it as Java does. To find its shortest match, it reads it as dk.brics.automaton
 * does, which has neither anchors nor lookaround nor classes such as `\d`; their characters are literal.
 */

/** The longest example that is made: expressions are foreign text. */
const longest = 10_000;

/** Returns the shortest ref that a pattern matches, and of several the first in order; undefined for a broken expression. */
export function exampleOf(pattern: string): string | undefined {
  const isExpression = pattern.startsWith("^");
  const read = pattern.replace(/^\^/, "").replace(/\$\{(?:username|shardeduserid)\}/g, "_");
  // Java compiles names too, where a quotation mark is no operator.
  const expression = isExpression ? read : read.replaceAll('"', "_");
  try {
    // After a quantifier, Java treats a plus as possessive and a brace as literal.
    new RegExp(expression.replace(/([?*+}])\+/g, "$1").replace(/([?*+}])\{/g, "$1\\{"));
    const example = readExpression(expression, shortestMatch);
    return isExpression ? example : pattern.endsWith("/*") ? pattern.slice(0, -2) : pattern;
  } catch {
    return undefined;
  }
}

/** The first and the last of some characters. */
type Range = readonly [from: string, to: string];

/** Makes something of an expression, from what it made of its parts. */
export interface Making<Made> {
  /** Of literal text. */
  text(text: string): Made;
  /** Of any character except those in the ranges. */
  other(ranges: readonly Range[]): Made;
  oneOf(ranges: readonly [Range, ...Range[]]): Made;
  joined(before: Made, after: Made): Made;
  either(one: Made, other: Made): Made;
  /** Of a part that is repeated at least so many times; the operator says how many times at most. */
  repeated(part: Made, least: number, operator: string): Made;
}

/**
 * Reads an expression as the service's automata do: a backslash makes any character literal, and a character that cannot be an
 * operator in its position is literal too. Throws an error, whose message is never read, if it is broken.
 */
export function readExpression<Made>(expression: string, making: Making<Made>): Made {
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

  const union = (): Made => {
    let made = sequence();
    while (take("|")) made = making.either(made, sequence());
    return made;
  };
  const sequence = () => {
    let made = repeated();
    while (more() && !peek(")|")) made = making.joined(made, repeated());
    return made;
  };
  const repeated = () => {
    let made = atom();
    while (peek("?*+{")) {
      const operator = next();
      made = operator === "{" ? times(made) : making.repeated(made, operator === "+" ? 1 : 0, operator);
    }
    return made;
  };
  const times = (made: Made) => {
    const [count = "", least = ""] = /^(\d+)(?:,\d*)?/.exec(expression.slice(at, at + longest)) ?? [];
    if (least === "") throw new SyntaxError();
    at += count.length;
    expect("}");
    return making.repeated(made, Number(least), `{${count}}`);
  };
  const atom = () => {
    if (take("[")) return oneOf();
    if (take(".")) return making.other([]);
    if (take('"')) {
      const start = at;
      while (more() && !peek('"')) at++;
      expect('"');
      return making.text(expression.slice(start, at - 1));
    }
    if (!take("(")) return making.text(character());
    if (take(")")) return making.text("");
    const made = union();
    expect(")");
    return made;
  };
  const oneOf = () => {
    const isNegated = take("^");
    const ranges: [Range, ...Range[]] = [range()];
    while (more() && !peek("]")) ranges.push(range());
    expect("]");
    return isNegated ? making.other(ranges) : making.oneOf(ranges);
  };
  const range = (): Range => {
    const from = character();
    const isWide = !expression.startsWith("-]", at) && take("-");
    return [from, isWide ? character() : from];
  };

  const made = expression === "" ? making.text("") : union();
  if (more()) throw new SyntaxError();
  return made;
}

/** Makes the shortest match of an expression, and of several the first in order. */
const shortestMatch: Making<string> = {
  text: (text) => text,
  // The first of all other characters is unprintable, and the service writes a hyphen for it.
  other: () => "-",
  oneOf: (ranges) => ranges.flat().reduce(first),
  joined: (before, after) => before + after,
  either: first,
  repeated(text, least) {
    if (least > 1 && text.length * least > longest) throw new RangeError();
    return text.repeat(least);
  },
};

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
