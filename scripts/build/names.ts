import { type parseSync, Visitor } from "rolldown/utils";

export type Program = ReturnType<typeof parseSync>["program"];

interface Span {
  readonly start: number;
  readonly end: number;
}

/** A replacement for a part of a text. */
export interface Edit extends Span {
  readonly text: string;
}

/** A name of a value. A shorthand, `{ name }`, is also the name of a member. */
interface Name extends Span {
  readonly name: string;
  readonly isShorthand: boolean;
}

/** The names of values in a program, wherever they appear. */
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

/** Replaces a name with an expression. */
export function replaced({ name, start, end, isShorthand }: Name, by: string): Edit {
  return { start, end, text: isShorthand ? `${name}: ${by}` : by };
}

/** Applies all edits to a text. An insertion before a name stays before the name's replacement. */
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
