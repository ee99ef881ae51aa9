import { expect, test } from "vitest";
import { entriesOf, type LiveList } from "../../src/core/live-list.ts";

const list: LiveList = { operation: "projects", row: "listProjects", args: {}, naturalName: "name" };

test("records are sorted by their natural names and reduced to their plain values", () => {
  const answer = [
    { name: "b", size: 2, isOpen: false, owner: { id: 1 }, tags: ["x"], parent: null },
    { name: "B" },
    { name: "a", size: 0 },
  ];
  expect(entriesOf(list, answer)).toEqual([
    { name: "B" },
    { name: "a", size: 0 },
    { name: "b", size: 2, isOpen: false },
  ]);
});

test("the keys of a dictionary are the names, whatever its records contain", () => {
  expect(entriesOf(list, { b: { name: "other", id: "b" }, a: "no record" })).toEqual([
    { name: "a" },
    { name: "b", id: "b" },
  ]);
});

test.each([[["text", 3, null, ["a"]]], ["text"], [null], [undefined]])("%j has no entries", (answer) => {
  expect(entriesOf(list, answer)).toEqual([]);
});

test("numeric names are sorted as text", () => {
  expect(entriesOf({ ...list, naturalName: "id" }, [{ id: 9 }, { id: 10 }])).toEqual([{ id: 10 }, { id: 9 }]);
});
