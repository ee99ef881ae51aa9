import { type parseSync, Visitor } from "rolldown/utils";

export type Program = ReturnType<typeof parseSync>["program"];

interface Span {
  readonly start: number;
  readonly end: number;
}

/** What comes in place of a part of a text. */
export interface Edit extends Span {
  readonly text: string;
}

/** A name of a value. A shorthand is a member's name too: `{ name }`. */
interface Name extends Span {
  readonly name: string;
  readonly isShorthand: boolean;
}

/** The names of values in a program, wherever they stand. */
export function namesIn(program: Program): readonly Name[] {
  const members = new Set<number>();
  const shorthands = new Set<number>();
  const found = new Map<number, Name>();
  new Visitor({
    MemberExpression({ computed, property }) {
      if (!computed) members.add(property.start);
    },
    Property({ computed, shorthand, key }) {
      if (!computed) (shorthand ? shorthands : members).add(key.start);
    },
    Identifier({ name, start, end }) {
      found.set(start, { name, start, end, isShorthand: false });
    },
  }).visit(program);
  return [...found.values()]
    .filter(({ start }) => !members.has(start))
    .map((one) => ({ ...one, isShorthand: shorthands.has(one.start) }));
}

/** Puts an expression in place of a name. */
export function replaced({ name, start, end, isShorthand }: Name, by: string): Edit {
  return { start, end, text: isShorthand ? `${name}: ${by}` : by };
}

/** A text with all edits. What is put before a name stays before what the name becomes. */
export function edited(code: string, edits: readonly Edit[]): string {
  let at = 0;
  const parts = [...edits]
    .sort((a, b) => a.start - b.start || a.end - b.end)
    .map(({ start, end, text }) => {
      const before = code.slice(at, start);
      at = end;
      return before + text;
    });
  return parts.join("") + code.slice(at);
}
