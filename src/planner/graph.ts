import type { Address } from "../core/resource.ts";

/** Edges of a graph: each node with those that must come before it. */
export type Edges = ReadonlyMap<Address, readonly Address[]>;

/** The result of ordering: nodes by phase, or the edges of a circle. */
export type Ordered =
  | { readonly is: "ordered"; readonly phases: ReadonlyMap<Address, number> }
  | { readonly is: "circle"; readonly edges: readonly { readonly from: Address; readonly to: Address }[] };

/**
 * Gives every node the first phase in which all that it depends on is done: 0 for a node without dependencies, one more
 * than its latest dependency otherwise. Edges to nodes outside of the graph do not count.
 */
export function order(edges: Edges): Ordered {
  const phases = new Map<Address, number>();
  const path: Address[] = [];
  const visit = (node: Address): readonly Address[] | undefined => {
    if (phases.has(node)) return undefined;
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
    path.push(node);
    const before = (edges.get(node) ?? []).filter((other) => edges.has(other));
    for (const other of before) {
      const circle = visit(other);
      if (circle !== undefined) return circle;
    }
    path.pop();
    phases.set(node, Math.max(-1, ...before.map((other) => phases.get(other) ?? 0)) + 1);
    return undefined;
  };
  for (const node of edges.keys()) {
    const circle = visit(node);
    if (circle !== undefined)
      return { is: "circle", edges: circle.slice(1).map((to, index) => ({ from: circle[index] ?? to, to })) };
  }
  return { is: "ordered", phases };
}
