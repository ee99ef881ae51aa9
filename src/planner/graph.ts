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
  const waiting = new Map<Address, number>();
  const dependants = new Map<Address, Address[]>([...edges.keys()].map((node) => [node, []]));
  for (const [node, before] of edges) {
    const inside = before.filter((other) => edges.has(other));
    waiting.set(node, inside.length);
    for (const other of inside) dependants.get(other)?.push(node);
  }
  let ready = [...edges.keys()].filter((node) => waiting.get(node) === 0);
  for (let phase = 0; ready.length > 0; phase++) {
    const next: Address[] = [];
    for (const node of ready) {
      phases.set(node, phase);
      for (const dependant of dependants.get(node) ?? []) {
        const left = (waiting.get(dependant) ?? 0) - 1;
        waiting.set(dependant, left);
        if (left === 0) next.push(dependant);
      }
    }
    ready = next;
  }
  const stuck = [...edges.keys()].find((node) => !phases.has(node));
  return stuck === undefined
    ? { is: "ordered", phases }
    : { is: "circle", edges: circleFrom(stuck, edges, (node) => edges.has(node) && !phases.has(node)) };
}

/** Follows nodes that wait for each other until one comes again. Each of them waits for another one. */
function circleFrom(
  start: Address,
  edges: Edges,
  isStuck: (node: Address) => boolean,
): Extract<Ordered, { readonly is: "circle" }>["edges"] {
  const path = new Map<Address, Address>();
  let node = start;
  while (!path.has(node)) {
    const next = edges.get(node)?.find(isStuck) ?? node;
    path.set(node, next);
    node = next;
  }
  const steps = [...path].map(([from, to]) => ({ from, to }));
  return steps.slice(steps.findIndex(({ from }) => from === node));
}
