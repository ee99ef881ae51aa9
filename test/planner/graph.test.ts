import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { order } from "../../src/planner/dependencies.ts";

describe("ordering", () => {
  test("puts each node one phase after its last dependency", () => {
    const ordered = order(
      new Map([
        ["a", ["b", "c"]],
        ["b", ["c"]],
        ["c", []],
        ["d", []],
      ]),
    );
    expect(ordered).toEqual({
      is: "ordered",
      phases: new Map([
        ["c", 0],
        ["b", 1],
        ["a", 2],
        ["d", 0],
      ]),
    });
  });

  test("names the edges of a circle, and no others", () => {
    const ordered = order(
      new Map([
        ["start", ["a"]],
        ["a", ["b"]],
        ["b", ["c"]],
        ["c", ["a"]],
      ]),
    );
    expect(ordered).toEqual({
      is: "circle",
      edges: [
        { from: "a", to: "b" },
        { from: "b", to: "c" },
        { from: "c", to: "a" },
      ],
    });
  });

  test("treats a node that needs itself as a circle", () => {
    expect(order(new Map([["a", ["a"]]]))).toEqual({ is: "circle", edges: [{ from: "a", to: "a" }] });
  });

  test("ignores edges to nodes outside the graph", () => {
    expect(order(new Map([["a", ["elsewhere"]]]))).toEqual({ is: "ordered", phases: new Map([["a", 0]]) });
  });

  test("law: in any graph, a node comes right after its last dependency, or the named edges are a circle", () => {
    const graphs = fc
      .array(fc.array(fc.nat(14), { maxLength: 2 }), { maxLength: 12 })
      .map((rows) => new Map(rows.map((row, index) => [`n${index}`, row.map((to) => `n${to}`)])));
    fc.assert(
      fc.property(graphs, (edges) => {
        const ordered = order(edges);
        if (ordered.is === "ordered") {
          const { phases } = ordered;
          expect(phases.size).toBe(edges.size);
          for (const [node, before] of edges)
            expect(phases.get(node)).toBe(1 + Math.max(-1, ...before.map((other) => phases.get(other) ?? -1)));
        } else {
          const { edges: circle } = ordered;
          expect(new Set(circle.map(({ from }) => from)).size).toBe(circle.length);
          for (const [index, { from, to }] of circle.entries()) {
            expect(edges.get(from)).toContain(to);
            expect(to).toBe(circle[(index + 1) % circle.length]?.from);
          }
        }
      }),
    );
  });

  test("law: dependencies precede dependants, in any graph without circles", () => {
    const graphs = fc.array(fc.array(fc.nat(20), { maxLength: 4 }), { maxLength: 20 }).map(
      (rows) =>
        // An edge always goes to an earlier row, so there is no circle.
        new Map(rows.map((row, index) => [`n${index}`, row.filter((to) => to < index).map((to) => `n${to}`)])),
    );
    fc.assert(
      fc.property(graphs, (edges) => {
        const ordered = order(edges);
        if (ordered.is === "circle") throw new Error("no circle was made");
        for (const [node, before] of edges)
          for (const other of before) expect(ordered.phases.get(other)).toBeLessThan(ordered.phases.get(node) ?? -1);
      }),
    );
  });
});
