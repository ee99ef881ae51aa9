import fc from "fast-check";

const first = 0xd800;
const surrogates = 0xe000 - first;

/**
 * Any character: a `unit` for texts, with the same examples as fast-check's "binary". That one keeps a map of all 1.1 million
 * characters, 130 MB in each worker, only to find out whether it makes texts such as "__proto__".
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat({ max: 0x10ffff - surrogates })
  .map((index) => String.fromCodePoint(index < first ? index : index + surrogates), indexOf);

function indexOf(character: unknown): number {
  const [only, ...more] = typeof character === "string" ? Array.from(character, (one) => one.codePointAt(0) ?? 0) : [];
  if (only === undefined || more.length > 0 || (only >= first && only < first + surrogates))
    throw new Error("It is not one character.");
  return only < first ? only : only - surrogates;
}
