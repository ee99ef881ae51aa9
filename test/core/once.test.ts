import { expect, test } from "vitest";
import { mapOnDemand, once, onceEach, onceFor, onceForText } from "../../src/core/once.ts";

test("a value is created on first use and then kept, even if it is undefined", () => {
  let made = 0;
  const value = once(() => {
    made++;
    return undefined;
  });
  expect(made).toBe(0);
  expect([value(), value(), made]).toEqual([undefined, undefined, 1]);
});

test("the result for an object is computed once per object", () => {
  const made: string[] = [];
  const [first, second] = [{ name: "a" }, { name: "a" }];
  const nameOf = onceFor(({ name }: { readonly name: string }) => {
    made.push(name);
    return undefined;
  });
  expect([nameOf(first), nameOf(second), nameOf(first), made]).toEqual([undefined, undefined, undefined, ["a", "a"]]);
});

test("the result for a key is computed once, and again if it failed", () => {
  const made: number[] = [];
  const half = onceEach(
    (value: number) => {
      made.push(value);
      if (made.length === 1) throw new Error("odd");
      return undefined;
    },
    (value) => value % 2,
  );
  expect(() => half(1)).toThrow("odd");
  expect([half(3), half(5), half(2), half(4), made]).toEqual([undefined, undefined, undefined, undefined, [1, 3, 2]]);
});

test("the results for the latest texts are kept, up to a total length", () => {
  const made: string[] = [];
  const upper = onceForText(4, (text) => {
    made.push(text);
    if (text === "wrong") throw new Error(text);
    return text.toUpperCase();
  });
  for (const text of ["ab", "cd", "ab", "e", "ab", "cd"]) expect(upper(text)).toBe(text.toUpperCase());
  expect(made).toEqual(["ab", "cd", "e", "cd"]);
  expect([upper("longer"), upper("longer"), upper("ab")]).toEqual(["LONGER", "LONGER", "AB"]);
  expect(made.slice(4)).toEqual(["longer", "longer", "ab"]);
  expect(() => upper("wrong")).toThrow("wrong");
  expect([upper("ab"), made.at(-1)]).toEqual(["AB", "wrong"]);
});

test("a map creates only the values that are requested, and each once", () => {
  const made: string[] = [];
  const make = (name: string) => () => {
    made.push(name);
    return name.toUpperCase();
  };
  const map = mapOnDemand([
    ["a", make("a")],
    ["b", make("b")],
  ]);
  expect([map.size, map.has("a"), map.has("c"), [...map.keys()], made]).toEqual([2, true, false, ["a", "b"], []]);
  expect([map.get("b"), map.get("b"), map.get("c"), made]).toEqual(["B", "B", undefined, ["b"]]);
  expect(new Map(map)).toEqual(
    new Map([
      ["a", "A"],
      ["b", "B"],
    ]),
  );
  expect([[...map.values()], [...map.entries()].length, made]).toEqual([["A", "B"], 2, ["b", "a"]]);
});
