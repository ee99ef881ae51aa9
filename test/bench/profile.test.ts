import { expect, test } from "vitest";
import { selfTimes } from "../../bench/harness/profile.ts";

test("self time is summed by function and by the part to which it belongs, without waiting", () => {
  const frame = (id: number, functionName: string, url: string) => ({
    id,
    callFrame: { functionName, url, lineNumber: 9 },
  });
  const nodes = [
    frame(1, "decide", "file:///project/src/planner/decide.ts"),
    frame(2, "", "file:///project/src/planner/order.ts"),
    frame(3, "parse", "file:///project/node_modules/a/node_modules/@scope/b/index.js"),
    frame(4, "(garbage collector)", ""),
    frame(5, "(idle)", ""),
    frame(6, "writeLatin1String", ""),
    frame(7, "emit", "node:events"),
  ];
  const profile = {
    nodes,
    samples: [1, 2, 1, 3, 4, 5, 6, 7],
    timeDeltas: [1000, 2000, 3000, 9000, 500, 70_000, 20, 30],
  };
  const { functions, parts } = selfTimes(profile, "/project");
  expect(functions.slice(0, 3)).toEqual([
    { where: "parse  node_modules/a/node_modules/@scope/b/index.js:10", milliseconds: 9 },
    { where: "decide  src/planner/decide.ts:10", milliseconds: 4 },
    { where: "(anonymous)  src/planner/order.ts:10", milliseconds: 2 },
  ]);
  expect(parts).toEqual([
    { where: "@scope/b", milliseconds: 9 },
    { where: "src/planner", milliseconds: 6 },
    { where: "(garbage collector)", milliseconds: 0.5 },
    { where: "node", milliseconds: 0.05 },
  ]);
});
