/**
 * What the server knows about a regular expression besides its matches. It orders sections by an automaton whose syntax
 * differs from that of its matcher: it has no anchors, and no classes such as `\d`, which is the letter there.
 *
 * Gerrit: `RefPattern`, with `RegExp` of dk.brics.automaton and none of its options.
 */
export interface Shape {
  /** The first of the shortest strings that match; an arbitrary character is `-`. */
  readonly example: string;
  readonly isFinite: boolean;
  /** The number of transitions in the smallest automaton, one for each range of characters. */
  readonly transitions: number;
}

const longestExpression = 2000;

/** Whether Java and RE2 read every part of an expression alike. */
export function readsAlike(pattern: string): boolean {
  if (!pattern.startsWith("^")) return true;
  // Longer expressions would take long to analyse, and nobody could read them.
  if (pattern.length > longestExpression) return false;
  const classes = pattern.match(/\[\^?\]?(?:\\.|[^\]\\])*\]/g) ?? [];
  if (classes.some((text) => /&&|\[/.test(text.slice(1).replace(/\\./g, "_")))) return false;
  return !/\(\?(?!:)|[*+?}]\+|\\(?![dDwWsS])[a-zA-Z0-9]/.test(pattern);
}

/** A pattern that stands for one literal text, or for every text with a given prefix. Most patterns do. */
interface Simple {
  readonly text: string;
  readonly isOpen: boolean;
}

/** Returns what a simple pattern stands for, whether or not the end of the expression is in parentheses. */
export function simple(pattern: string): Simple | undefined {
  const expression = pattern.replace(/^(\^[^()$]*)(?<!\\)\(([^()$]*)\)(\$?)$/, "$1$2$3");
  const [, text, rest] = /^\^((?:[\w/-]|\\\.)*)(\.\*)?\$?$/.exec(expression) ?? [];
  if (text !== undefined) return { text: text.replaceAll("\\.", "."), isOpen: rest !== undefined };
  const [, name, wild] = /^([\w./-]+?)(?:(?<=\/)(\*))?$/.exec(pattern) ?? [];
  return name === undefined ? undefined : { text: name, isOpen: wild !== undefined };
}

/** Returns the shape of a simple expression. A `$` is a literal to the server's automaton. */
export function simpleShape(pattern: string): Shape | undefined {
  const found = pattern.startsWith("^") ? simple(pattern) : undefined;
  if (found === undefined) return undefined;
  const isEnded = pattern.endsWith("$");
  const { text, isOpen } = found;
  // After the text, each of two states distinguishes `$` from the characters below and above it.
  const more = isOpen ? (isEnded ? 6 : 1) : Number(isEnded);
  return { example: isEnded ? `${text}$` : text, isFinite: !isOpen, transitions: text.length + more };
}

/** Returns some refs that two simple patterns match, a short and a longer one; undefined if one pattern is not simple. */
export function simpleCommonRefs(first: string, second: string): readonly string[] | undefined {
  const both = [simple(first), simple(second)].filter((one) => one !== undefined);
  const [short, long] = both.sort((a, b) => a.text.length - b.text.length || Number(b.isOpen) - Number(a.isOpen));
  if (short === undefined || long === undefined) return undefined;
  if (!(short.isOpen ? long.text.startsWith(short.text) : long.text === short.text && !long.isOpen)) return [];
  if (!long.isOpen) return [long.text];
  return [...(long.text.endsWith("/") ? [] : [long.text]), `${long.text}0`, `${long.text}${"0".repeat(13)}`];
}
