import { expect, test } from "vitest";
import { order } from "../../src/planner/dependencies.ts";

test("ordering handles a chain of 30,000 and finds a circle of the same length", () => {
  const names = Array.from({ length: 30_000 }, (_, index) => `n${index}`);
  const chain = new Map(names.map((name, index) => [name, names.slice(index + 1, index + 2)]));
  const ordered = order(chain);
  expect(ordered.is === "ordered" && ordered.phases.get("n0")).toBe(29_999);
  const circle = order(new Map([...chain, ["n29999", ["n0"]]]));
  expect(circle.is === "circle" && circle.edges.length).toBe(30_000);
});
