import { isObject } from "../../src/core/text/json.ts";
import type { Chance } from "../simulator/chance.ts";

/** Texts over which parsers stumble. */
const nasty = [
  "\u0000",
  "\ufeff",
  "\u2028",
  "\ud800",
  "${each}",
  "${var.",
  "${env:HOME}",
  "---\n",
  "&a [*a]",
  "<<: *a\n",
  "!!js/function x",
  "? [",
  "\t",
  "0x7fffffffffffffff",
  "1e999",
  ".nan",
  "2026-02-31",
  "__proto__: {}\n",
  "constructor: 1\n",
  "toString",
  "../../etc/passwd",
  "[".repeat(300),
  "{a: ".repeat(300),
  "x".repeat(20_000),
  "(a+)+$",
  "*".repeat(200),
  "- ".repeat(2000),
];

/** Returns a text with a few errors. */
export function mutatedText(text: string, chance: Chance): string {
  const times = chance.pick([1, 1, 2, 5, 20]);
  let result = text;
  for (let time = 0; time < times; time++) result = mutatedOnce(result, chance);
  // No file in UTF-8 has half of a surrogate pair.
  return result.toWellFormed();
}

function mutatedOnce(text: string, chance: Chance): string {
  const at = chance.below(text.length + 1);
  const to = Math.min(text.length, at + 1 + chance.below(chance.pick([1, 10, 200])));
  const part = text.slice(at, to);
  switch (chance.below(6)) {
    case 0:
      return text.slice(0, at) + text.slice(to);
    case 1:
      return text.slice(0, at) + part.repeat(chance.pick([2, 3, 50])) + text.slice(to);
    case 2:
      return text.slice(0, at) + chance.pick(nasty) + text.slice(at);
    case 3:
      return text.slice(0, at) + String.fromCharCode(chance.below(chance.pick([128, 65_536]))) + text.slice(at + 1);
    case 4: {
      const other = chance.below(text.length + 1);
      return text.slice(0, other) + part + text.slice(other);
    }
    default:
      return text.slice(0, at);
  }
}

/** Draws a value of any type. */
function strange(chance: Chance): unknown {
  return chance.pick([
    null,
    true,
    0,
    -1,
    1.5,
    2 ** 53,
    "",
    "x",
    "9".repeat(400),
    "x".repeat(200_000),
    [],
    {},
    [[]],
    ["", null, {}],
    { name: null },
    nested(200),
    nested(2000),
    Array.from({ length: 5000 }, (_, index) => index),
    JSON.parse('{"__proto__": {"polluted": true}}'),
  ]);
}

function nested(levels: number): unknown {
  return JSON.parse(`${'{"a":['.repeat(levels)}1${"]}".repeat(levels)}`);
}

/** Returns JSON with a few values replaced, dropped, repeated or renamed. */
export function mutatedJson(value: unknown, chance: Chance): unknown {
  if (chance.hit(0.15)) return strange(chance);
  if (Array.isArray(value)) {
    if (chance.hit(0.1)) return [];
    if (chance.hit(0.1)) return [...value, ...value];
    const chosen = chance.below(value.length);
    return value.map((entry, index) => (index === chosen ? mutatedJson(entry, chance) : entry));
  }
  if (!isObject(value)) return strange(chance);
  const names = Object.keys(value);
  if (names.length === 0) return strange(chance);
  const chosen = chance.pick(names);
  const { [chosen]: inner, ...rest } = value;
  if (chance.hit(0.2)) return rest;
  if (chance.hit(0.1)) return { ...rest, [`${chosen}x`]: inner };
  return { ...value, [chosen]: mutatedJson(inner, chance) };
}
