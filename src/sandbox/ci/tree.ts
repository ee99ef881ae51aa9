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
  const tokens = tree.match(/[,[\]{}]|[^,[\]{}]+/g) ?? [];
  const fields = parseFields(tokens, 0);
  if (fields.next !== tokens.length) throw malformed(tree);
  return show(value, fields.list);

  function parseFields(from: readonly string[], start: number): { readonly list: Field[]; readonly next: number } {
    const list: Field[] = [];
    for (let at = start; ; at++) {
      const name = from[at++] ?? "";
      if (!/^[^,[\]{}]/.test(name)) throw malformed(tree);
      let below: readonly Field[] = [];
      if (from[at] === "[") {
        const inner = parseFields(from, at + 1);
        if (from[inner.next] !== "]") throw malformed(tree);
        below = inner.list;
        at = inner.next + 1;
      }
      let range: Field["range"];
      if (from[at] === "{") {
        const end = from.indexOf("}", at);
        const [, first, last] = /^(\d*),(\d*)$/.exec(from.slice(at + 1, end).join("")) ?? [];
        if (first === undefined || last === undefined) throw malformed(tree);
        range = [Number(first), last === "" ? undefined : Number(last)];
        at = end + 1;
      }
      list.push({ name, below, range });
      if (from[at] !== ",") return { list, next: at };
    }
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
