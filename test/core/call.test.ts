import { expect, test } from "vitest";
import type { AnalysisOperations } from "../../src/clients/analysis/operations.ts";
import { callOf, type PlannedCall, withParts } from "../../src/core/call.ts";
import type { fakeOperations } from "../support/fake-kinds.ts";

test("a call carries the addresses of the changes that it closes, and a delivery only if it has one", () => {
  const call = callOf<typeof fakeOperations>();
  const made = call("arrange", { shelf: "a", boxes: ["x"] }, [{ address: "store/Box/x" }, { address: "store/Box/y" }]);
  expect(made).toEqual({
    operation: "arrange",
    args: { shelf: "a", boxes: ["x"] },
    carries: ["store/Box/x", "store/Box/y"],
  });
  expect(made).not.toHaveProperty("deliver");
});

test("an argument that is undefined is not sent", () => {
  const made = callOf<AnalysisOperations>()("updateView", { project: "core", name: "a", new_name: undefined }, []);
  expect(made.args).toStrictEqual({ project: "core", name: "a" });
});

test("withParts lists each call followed by its parts, in order", () => {
  const call = (id: number): Omit<PlannedCall, "parts"> => ({
    id,
    service: "store",
    operation: "arrange",
    args: {},
    carries: [],
    phase: 0,
    lane: "store a",
  });
  const calls = [{ ...call(1), parts: [call(2), call(3)] }, call(4)];
  expect(withParts(calls).map(({ id }) => id)).toEqual([1, 2, 3, 4]);
});
