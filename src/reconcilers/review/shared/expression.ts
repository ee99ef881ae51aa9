/**
 * What the server knows of a regular expression besides its matches. It orders sections by an automaton that reads other
 * expressions than its matcher does: without anchors and classes such as `\d`, which stands for the letter there.
 *
 * Gerrit: `RefPattern`, with `RegExp` of dk.brics.automaton and no option of it.
 */
export interface Shape {
  /** The first of the shortest texts that match; an arbitrary character is `-`. */
  readonly example: string;
  readonly isFinite: boolean;
  /** Of the smallest automaton, one for each range of characters. */
  readonly transitions: number;
}

const longestExpression = 2000;

/** Whether Java and RE2 agree about all that an expression consists of. */
export function readsAlike(pattern: string): boolean {
  if (!pattern.startsWith("^")) return true;
  // Longer ones would take long to take apart, and nobody reads them.
  if (pattern.length > longestExpression) return false;
  const classes = pattern.match(/\[\^?\]?(?:\\.|[^\]\\])*\]/g) ?? [];
  if (classes.some((text) => /&&|\[/.test(text.slice(1).replace(/\\./g, "_")))) return false;
  return !/\(\?(?!:)|[*+?}]\+|\\(?![dDwWsS])[a-zA-Z0-9]/.test(pattern);
}

/** What stands for a text, or for all that begins with it, as most patterns do. */
interface Simple {
  readonly text: string;
  readonly isOpen: boolean;
}

/** What a pattern stands for if it is that simple, be the end of an expression in parentheses or not. */
export function simple(pattern: string): Simple | undefined {
  const expression = pattern.replace(/^(\^[^()$]*)(?<!\\)\(([^()$]*)\)(\$?)$/, "$1$2$3");
  const [, text, rest] = /^\^((?:[\w/-]|\\\.)*)(\.\*)?\$?$/.exec(expression) ?? [];
  if (text !== undefined) return { text: text.replaceAll("\\.", "."), isOpen: rest !== undefined };
  const [, name, wild] = /^([\w./-]+?)(?:(?<=\/)(\*))?$/.exec(pattern) ?? [];
  return name === undefined ? undefined : { text: name, isOpen: wild !== undefined };
}

/** The shape of an expression that is simple; a `$` is a letter to the server's automaton. */
export function simpleShape(pattern: string): Shape | undefined {
  const found = pattern.startsWith("^") ? simple(pattern) : undefined;
  if (found === undefined) return undefined;
  const isEnded = pattern.endsWith("$");
  const { text, isOpen } = found;
  // After the text, each of two states tells a `$` from what is before and behind it.
  const more = isOpen ? (isEnded ? 6 : 1) : Number(isEnded);
  return { example: isEnded ? `${text}$` : text, isFinite: !isOpen, transitions: text.length + more };
}

/** Some refs that two simple patterns match, a short and a longer one; undefined if one of them is not simple. */
export function simpleCommonRefs(first: string, second: string): readonly string[] | undefined {
  const both = [simple(first), simple(second)].filter((one) => one !== undefined);
  const [short, long] = both.sort((a, b) => a.text.length - b.text.length || Number(b.isOpen) - Number(a.isOpen));
  if (short === undefined || long === undefined) return undefined;
  if (!(short.isOpen ? long.text.startsWith(short.text) : long.text === short.text && !long.isOpen)) return [];
  if (!long.isOpen) return [long.text];
  return [...(long.text.endsWith("/") ? [] : [long.text]), `${long.text}0`, `${long.text}${"0".repeat(13)}`];
}
