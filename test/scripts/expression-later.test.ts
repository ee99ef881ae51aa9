import { expect, test } from "vitest";
import { expressionLater } from "../../scripts/build/expression-later.ts";

type Expression = ReturnType<typeof expressionLater>;

const ways: Readonly<Record<string, (text: string, expression: Expression) => unknown>> = {
  exec: (text, expression) => expression.exec(text),
  "exec, again": (text, expression) => [expression.exec(text), expression.lastIndex, expression.exec(text)],
  "exec, from a place": (text, expression) => {
    expression.lastIndex = 3;
    return expression.exec(text);
  },
  test: (text, expression) => expression.test(text),
  source: (_text, expression) => new RegExp(expression.source, expression.flags).source,
  match: (text, expression) => text.match(expression),
  matchAll: (text, expression) => [...expression[Symbol.matchAll](text)],
  replace: (text, expression) => text.replace(expression, "[$1]"),
  search: (text, expression) => text.search(expression),
  split: (text, expression) => text.split(expression),
};

test.each(Object.entries(ways))(
  "an expression that is compiled later gives the same answers as one compiled immediately: %s",
  (_, ask) => {
    const asked = [
      ["(b+)c?", ""],
      ["(b+)c?", "g"],
      ["([\\p{L}--b])", "gv"],
      ["^(a)|(?<last>c)$", "iu"],
    ] as const;
    for (const [source, flags] of asked)
      for (const text of ["abbcABBC", "", "bbb b", "äbcé"]) {
        // Callers treat it as a regular expression.
        const later = expressionLater(source, flags) as unknown as RegExp;
        expect(ask(text, later), `/${source}/${flags} of ${text}`).toEqual(ask(text, new RegExp(source, flags)));
      }
  },
);
