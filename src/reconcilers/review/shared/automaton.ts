import { DFA, JS, NFA } from "refa";
import { onceForText } from "../../../core/once.ts";
import { type Making, readExpression } from "../../../core/text/ref-pattern.ts";
import { escapedCharacter, literalPattern } from "../../../core/text/words.ts";

/** The maximum number of states. An expression that needs more is not read, because that could take long. */
const mostStates = 2_000;

/** The maximum number of steps, each from one of the states to a transition of the automaton before it. */
const mostSteps = 4_000_000;

/** The characters of expressions whose shapes are kept: the locks of a project are judged by the same ones. */
const keptCharacters = 1024 * 1024;

/** Returns the shape of an expression; undefined if the server does not accept it, or if it is too large. */
export const patternShape = onceForText(keptCharacters, (pattern) => simpleShape(pattern) ?? measuredShape(pattern));

/** The same, computed with an automaton. */
export function measuredShape(pattern: string): Shape | undefined {
  const automaton = attempt(() => machine(readExpression(withUser(pattern), inJavaScript)));
  const example = automaton && firstWord(automaton)?.replaceAll("\0", "-");
  if (automaton === undefined || example === undefined) return undefined;
  return { example, isFinite: automaton.isFinite, transitions: transitionsOf(automaton) };
}

function transitionsOf(automaton: DFA | NFA): number {
  let count = 0;
  for (const { out } of automaton.nodes()) count += [...out].length;
  return count;
}

/** Names that people give to branches; the automata also find stranger ones. */
const plain = "[0-9A-Za-z_]+(?:[-./][0-9A-Za-z_]+)*-?";

/**
 * Returns some refs that both patterns match, the shortest and longer ones, because the order of sections depends on the
 * length of a ref. Undefined if a pattern cannot be read, or if the match depends on a user's name.
 */
export function commonRefs(first: string, second: string): readonly string[] | undefined {
  const [one, other] = [withAnyUser(first), withAnyUser(second)];
  const found = simpleCommonRefs(one, other) ?? searchedRefs(one, other);
  return (one === first && other === second) || found?.length === 0 ? found : undefined;
}

/** Returns a pattern that matches whatever another one matches for any user, and possibly more. */
function withAnyUser(pattern: string): string {
  const start = pattern.indexOf("${");
  if (start < 0) return pattern;
  if (!pattern.startsWith("^")) return `^${literalPattern(pattern.slice(0, start))}.*`;
  // In a class, or after a backslash, the replacement would mean something else.
  return /[[\\]/.test(pattern) ? pattern : pattern.replace(/\$\{\w+\}/g, ".*");
}

/** The same, computed with automata. */
export function searchedRefs(first: string, second: string): readonly string[] | undefined {
  return attempt(() => {
    const common = intersect(machine(languageOf(first)), machine(languageOf(second)));
    const short = firstWord(common);
    if (short === undefined) return [];
    const named = intersect(common, machine(plain));
    const long = intersect(named, machine(`[^]{${short.length + 12},}`));
    // Not `words()` of an automaton: it keeps every path up to the first word, and there can be billions.
    const found = [named, long].flatMap((automaton) => firstWord(automaton) ?? []);
    return found.length > 0 ? found : [short];
  });
}

/**
 * Whether everything that an expression matches has the same text before the user's name. If not, the server accepts the
 * expression and then answers 500 to every request for the project, including one that would revert it.
 *
 * Gerrit: `RefPatternMatcher.ExpandParameters`.
 */
export function isUserReached(pattern: string): boolean {
  const text = withUser(pattern);
  if (!text.includes(user)) return true;
  const automaton = attempt(() => machine(readExpression(text, inJavaScript)));
  if (automaton === undefined) return true;
  let start = "";
  for (let node = automaton.initial; !automaton.finals.has(node) && start.length < mostStates; ) {
    const [[{ min, max }, to] = [{ min: 0, max: 1 }, node], ...others] = node.out;
    if (min !== max || others.length > 0) break;
    start += String.fromCharCode(min);
    node = to;
  }
  return start.includes(user);
}

/** What the server's automata have in place of the user. */
const user = "_PLACEHOLDER_";

/** Returns an expression as the server's automata read it, for any user. */
function withUser(pattern: string): string {
  return pattern.replace(/^\^/, "").replace(/\$\{(?:username|shardeduserid)\}/g, user);
}

function attempt<Result>(make: () => Result): Result | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

/** Returns a JavaScript expression for the language of a pattern. */
function languageOf(pattern: string): string {
  if (pattern.includes("${") || !readsAlike(pattern)) throw new Error("not readable");
  if (!pattern.startsWith("^")) {
    const literal = literalPattern(pattern.replace(/\*$/, ""));
    return pattern.endsWith("/*") ? `${literal}[^]*` : literal;
  }
  return pattern.slice(1).replace(/(?<!\\)\$$/, "");
}

function machine(source: string): DFA {
  const parser = JS.Parser.fromLiteral({ source, flags: "s" });
  const { expression, maxCharacter } = parser.parse({ backreferences: "throw", assertions: "throw" });
  const loose = NFA.fromRegex(expression, { maxCharacter }, {}, new NFA.LimitedNodeFactory(mostStates));
  // Parts that can all be left out have transitions from each to each.
  const states = Math.min(mostStates, mostSteps / transitionsOf(loose));
  const automaton = DFA.fromFA(loose, new DFA.LimitedNodeFactory(states));
  automaton.minimize();
  return automaton;
}

function intersect(a: DFA, b: DFA): DFA {
  return DFA.fromIntersection(a, b, new DFA.LimitedNodeFactory(mostStates));
}

/** Returns the first of the shortest strings by character code, as the server does. */
function firstWord({ initial, finals }: DFA): string | undefined {
  const seen = new Set([initial]);
  for (let level = new Map([[initial, ""]]); level.size > 0; ) {
    const [found] = [...level].flatMap(([node, path]) => (finals.has(node) ? [path] : [])).sort();
    if (found !== undefined) return found;
    const next = new Map<DFA.Node, string>();
    for (const [node, path] of level)
      for (const [{ min }, to] of node.out) {
        const text = path + String.fromCharCode(min);
        const known = next.get(to);
        if (!seen.has(to) && (known === undefined || text < known)) next.set(to, text);
      }
    for (const node of next.keys()) seen.add(node);
    level = next;
  }
  return undefined;
}

/** Translates an expression of the server's automata to JavaScript. */
const inJavaScript: Making<string> = {
  text: (text) => `(?:${escaped(text)})`,
  other: (ranges) => `[^${inClass(ranges)}]`,
  oneOf: (ranges) => `[${inClass(ranges)}]`,
  joined: (before, after) => before + after,
  either: (one, other) => `(?:${one}|${other})`,
  repeated: (part, _least, operator) => `(?:${part})${operator}`,
};

function inClass(ranges: readonly (readonly string[])[]): string {
  return ranges.map((ends) => ends.map(escaped).join("-")).join("");
}

function escaped(text: string): string {
  return text.replace(/./gs, escapedCharacter);
}

/**
 * What the server knows about a regular expression besides its matches. It orders sections by an automaton whose syntax
 * differs from that of its matcher: it has no anchors, and no classes such as `\d`, which is the letter there.
 *
 * Gerrit: `RefPattern`, with `RegExp` of dk.brics.automaton and none of its options.
 */
interface Shape {
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
function simpleShape(pattern: string): Shape | undefined {
  const found = pattern.startsWith("^") ? simple(pattern) : undefined;
  if (found === undefined) return undefined;
  const isEnded = pattern.endsWith("$");
  const { text, isOpen } = found;
  // After the text, each of two states distinguishes `$` from the characters below and above it.
  const more = isOpen ? (isEnded ? 6 : 1) : Number(isEnded);
  return { example: isEnded ? `${text}$` : text, isFinite: !isOpen, transitions: text.length + more };
}

/** Returns some refs that two simple patterns match, a short and a longer one; undefined if one pattern is not simple. */
function simpleCommonRefs(first: string, second: string): readonly string[] | undefined {
  const both = [simple(first), simple(second)].filter((one) => one !== undefined);
  const [short, long] = both.sort((a, b) => a.text.length - b.text.length || Number(b.isOpen) - Number(a.isOpen));
  if (short === undefined || long === undefined) return undefined;
  if (!(short.isOpen ? long.text.startsWith(short.text) : long.text === short.text && !long.isOpen)) return [];
  if (!long.isOpen) return [long.text];
  return [...(long.text.endsWith("/") ? [] : [long.text]), `${long.text}0`, `${long.text}${"0".repeat(13)}`];
}
