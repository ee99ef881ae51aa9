import { distance as levenshtein } from "fastest-levenshtein";
import { RE2JS } from "re2js";
import { patternShape, readsAlike, simple } from "./automaton.ts";

/**
 * Whether a section's pattern matches a ref; undefined if that cannot be determined because it depends on who is signed in,
 * or because Java reads the expression differently.
 *
 * Gerrit: `RefPatternMatcher`.
 */
export function matches(pattern: string, ref: string): boolean | undefined {
  // A placeholder for a user's name or number, which is not known here.
  if (pattern.includes("${")) return ref.startsWith(/^\^?([\w/-]*)/.exec(pattern)?.[1] ?? "") ? undefined : false;
  if (!pattern.startsWith("^")) return pattern.endsWith("/*") ? ref.startsWith(pattern.slice(0, -1)) : pattern === ref;
  const found = simple(pattern);
  if (found !== undefined) return found.isOpen ? ref.startsWith(found.text) : ref === found.text;
  return readsAlike(pattern) ? compiled(pattern)?.testExact(ref) : undefined;
}

/** Whether two patterns can have a ref in common, judging by their first characters. */
export function mayMeet(a: string, b: string): boolean {
  const [short = "", long = ""] = [plainStart(a), plainStart(b)].sort((x, y) => x.length - y.length);
  return long.startsWith(short);
}

function plainStart(pattern: string): string {
  if (!pattern.startsWith("^")) return pattern.replace(/\*$|\$\{.*/, "");
  // Alternatives can begin with anything; an operator applies to the character before it.
  return pattern.includes("|") ? "" : (/^\^((?:[\w/-](?![*?{]))*)/.exec(pattern)?.[1] ?? "");
}

function compiled(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return undefined;
  }
}

/**
 * Orders patterns that match a ref, the most specific first.
 *
 * Gerrit: `MostSpecificComparator`.
 */
export function compareSpecificity(ref: string): (a: string, b: string) => number {
  return (a, b) => {
    const [left, right] = [measured(a, ref), measured(b, ref)];
    return (
      left.distance - right.distance ||
      Number(right.isFinite) - Number(left.isFinite) ||
      right.transitions - left.transitions ||
      b.length - a.length
    );
  };
}

/** Measures the specificity of a pattern. One that cannot be read counts as the most specific. */
function measured(pattern: string, ref: string) {
  if (!pattern.startsWith("^")) {
    const isWild = pattern.endsWith("/*");
    const distance = isWild ? levenshtein(pattern, ref) : pattern === ref ? 0 : Math.max(pattern.length, ref.length);
    return { distance, isFinite: !isWild, transitions: pattern.length };
  }
  const shape = patternShape(pattern);
  if (shape === undefined) return { distance: -1, isFinite: true, transitions: 0 };
  return { ...shape, distance: levenshtein(shape.example, ref) };
}
