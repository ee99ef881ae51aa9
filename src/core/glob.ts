import picomatch from "picomatch";

/** Characters that a pattern of names may have: longer ones are a mistake, and could be slow. */
export const longestPattern = 200;

/**
 * Whether a name fits one of the patterns: `*` stands for any characters, slashes too, `?` for one, `{a,b}` for either,
 * `[ab]` for one of some.
 */
export function namePattern(patterns: readonly string[]): (name: string) => boolean {
  // Extended groups such as +(a|b) are off: they can take for ever on a name that nearly fits.
  const matchers = patterns.map((pattern) => picomatch(pattern, { bash: true, dot: true, noextglob: true }));
  return (name) => matchers.some((matches) => matches(name));
}
