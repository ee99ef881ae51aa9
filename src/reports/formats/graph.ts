import { type Address, addressParts } from "../../core/resource.ts";
import { inOrder } from "../../core/text/words.ts";
import { visible } from "../text/style.ts";

/** A resource in a graph. `undeclared`: no manifest declares it, but a declared one refers to it. */
export interface GraphNode {
  readonly address: Address;
  readonly service: string;
  readonly state: "present" | "absent" | "undeclared";
}

/** What manifests declare, and what refers to what. Sorted, so that the same manifests give the same text. */
export interface Graph {
  readonly services: readonly { readonly name: string; readonly nodes: readonly GraphNode[] }[];
  readonly edges: readonly { readonly from: Address; readonly to: Address }[];
}

/** The graph of some declared resources and everything that they refer to. `references` has the references of each address. */
export function graphOf(
  declared: readonly Pick<GraphNode, "address" | "service" | "state">[],
  references: ReadonlyMap<Address, readonly Address[]>,
  isShown: (address: Address) => boolean,
): Graph {
  const known = new Map(declared.map((one) => [one.address, one]));
  const nodes = new Map<Address, GraphNode>();
  const edges = new Map<string, Graph["edges"][number]>();
  for (const { address, service, state } of declared.filter((one) => isShown(one.address))) {
    nodes.set(address, { address, service, state });
    for (const to of references.get(address) ?? []) {
      // A reference stays within its service.
      const other = known.get(to) ?? { address: to, service, state: "undeclared" as const };
      nodes.set(to, { address: to, service: other.service, state: other.state });
      edges.set(JSON.stringify([address, to]), { from: address, to });
    }
  }
  const byService = Map.groupBy(
    [...nodes.values()].sort((a, b) => inOrder(a.address, b.address)),
    ({ service }) => service,
  );
  return {
    services: [...byService].map(([name, own]) => ({ name, nodes: own })).sort((a, b) => inOrder(a.name, b.name)),
    edges: [...edges.values()].sort((a, b) => inOrder(a.from, b.from) || inOrder(a.to, b.to)),
  };
}

/** The graph for Mermaid, for example in a Markdown page. An arrow points to what a resource refers to. */
export function mermaidText({ services, edges }: Graph, notes: readonly string[] = []): string {
  const ids = new Map(services.flatMap(({ nodes }) => nodes).map(({ address }, index) => [address, `n${index}`]));
  const lines = [
    "flowchart LR",
    ...notes.map((note) => `  %% ${visible(note)}`),
    ...services.flatMap(({ name, nodes }, index) => [
      `  subgraph s${index}["${mermaidLabel(name)}"]`,
      ...nodes.map(
        ({ address, state }) =>
          `    ${ids.get(address)}["${mermaidLabel(labelOf(address))}"]${state === "present" ? "" : `:::${state}`}`,
      ),
      "  end",
    ]),
    ...edges.map(({ from, to }) => `  ${ids.get(from)} --> ${ids.get(to)}`),
    ...legend({ services }).map((state) => `  classDef ${state} ${mermaidLooks[state]}`),
  ];
  return `${lines.join("\n")}\n`;
}

/** The graph for Graphviz. An arrow points to what a resource refers to. */
export function dotText({ services, edges }: Graph, notes: readonly string[] = []): string {
  const lines = [
    "digraph setpoint {",
    ...notes.map((note) => `  // ${visible(note)}`),
    "  rankdir=LR;",
    "  node [shape=box];",
    ...services.flatMap(({ name, nodes }) => [
      `  subgraph ${dotQuoted(`cluster_${name}`)} {`,
      `    label=${dotLabel(name)};`,
      ...nodes.map(
        ({ address, state }) => `    ${dotQuoted(address)} [label=${dotLabel(labelOf(address))}${dotLooks[state]}];`,
      ),
      "  }",
    ]),
    ...edges.map(({ from, to }) => `  ${dotQuoted(from)} -> ${dotQuoted(to)};`),
    "}",
  ];
  return `${lines.join("\n")}\n`;
}

const mermaidLooks = { absent: "stroke-dasharray: 6 3", undeclared: "stroke-dasharray: 2 2" } as const;
const dotLooks = { present: "", absent: ", style=dashed", undeclared: ", style=dotted" } as const;

function legend({ services }: Pick<Graph, "services">): readonly ("absent" | "undeclared")[] {
  const states = new Set(services.flatMap(({ nodes }) => nodes.map(({ state }) => state)));
  return (["absent", "undeclared"] as const).filter((state) => states.has(state));
}

/** The kind and the key. The subgraph around the node names the service. */
function labelOf(address: Address): string {
  const { kind, key } = addressParts(address);
  return `${kind} ${key}`;
}

/** Escapes signs in a label as character codes. Mermaid would otherwise parse them as its own syntax, HTML or Markdown. */
function mermaidLabel(text: string): string {
  return visible(text).replace(/[^\p{L}\p{N}\p{M} _./:@+=,-]/gu, (sign) => `#${sign.codePointAt(0)};`);
}

function dotQuoted(text: string): string {
  return `"${visible(text).replaceAll(/["\\]/g, (sign) => `\\${sign}`)}"`;
}

/** Quotes a label. Graphviz decodes HTML entities in labels, so each & is written as one. */
function dotLabel(text: string): string {
  return dotQuoted(text.replaceAll("&", "&amp;"));
}
