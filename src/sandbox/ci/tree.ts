import { isObject } from "../../core/text/json.ts";
import { Refusal } from "../refusal.ts";

/** A field to show, with the fields below it. Of a list it shows the entries `from` up to, but not including, `to`. */
interface Field {
  readonly name: string;
  readonly below: readonly Field[];
  readonly range: readonly [from: number, to: number | undefined] | undefined;
}

/**
 * Returns what a `tree` selects of a value. Nested fields are shown only if they are named; the class is always shown.
 * Throws `Refusal` 500 for a malformed selection, as the real server does.
 */
export function selectTree(value: unknown, tree: string): unknown {
  // A space is part of a name, so a name with a space selects nothing.
  const tokens: readonly string[] = tree.match(/[,[\]{}]|[^,[\]{}]+/g) ?? [];
  let at = 0;
  const fields = readFields();
  if (at !== tokens.length) throw malformed(tree);
  return show(value, fields);

  /** Whether the next token is this sign, which is then read. */
  function takes(sign: string): boolean {
    const isNext = tokens[at] === sign;
    if (isNext) at++;
    return isNext;
  }

  function readFields(): readonly Field[] {
    const list: Field[] = [];
    do {
      const name = tokens[at++] ?? "";
      if (!/^[^,[\]{}]/.test(name)) throw malformed(tree);
      const below = takes("[") ? readFields() : [];
      if (below.length > 0 && !takes("]")) throw malformed(tree);
      list.push({ name, below, range: takes("{") ? readRange() : undefined });
    } while (takes(","));
    return list;
  }

  function readRange(): Field["range"] {
    const end = tokens.indexOf("}", at);
    const [, first, last] = /^(\d*),(\d*)$/.exec(tokens.slice(at, end).join("")) ?? [];
    if (first === undefined || last === undefined) throw malformed(tree);
    at = end + 1;
    return [Number(first), last === "" ? undefined : Number(last)];
  }
}

function malformed(tree: string): Refusal {
  return new Refusal(500, `java.lang.IllegalArgumentException: ${tree}`);
}

function show(value: unknown, fields: readonly Field[]): unknown {
  if (Array.isArray(value)) return value.map((entry: unknown) => show(entry, fields));
  if (!isObject(value)) return value;
  const shown = Object.entries(value).flatMap(([name, inner]): (readonly [string, unknown])[] => {
    if (name === "_class") return [[name, inner]];
    const field = fields.find((one) => one.name === name) ?? fields.find((one) => one.name === "*");
    if (field === undefined) return [];
    const ranged = field.range !== undefined && Array.isArray(inner) ? inner.slice(...field.range) : inner;
    return [[name, show(ranged, field.below)]];
  });
  return Object.fromEntries(shown);
}
