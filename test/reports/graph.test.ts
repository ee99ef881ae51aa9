import { instance } from "@viz-js/viz";
import { Window } from "happy-dom";
import { beforeAll, expect, test, vi } from "vitest";
import { dotText, type Graph, graphOf, mermaidText } from "../../src/reports/formats/graph.ts";

const hostile = [
  'a"b',
  "back\\slash",
  "\\N \\n",
  "&lt; &amp; <b>x</b>",
  "#quot; #35;",
  "`code`",
  "]); end %% x",
  "ü 漢 🚀",
  "%%{init: {}}%%",
  "--> x",
];
const declared = [
  { address: "wiki/Page/z", service: "wiki", state: "absent" as const },
  ...hostile.map((key) => ({ address: `review/Rule/${key}`, service: "review", state: "present" as const })),
  { address: "review/Rule/a", service: "review", state: "present" as const },
];
const references = new Map([
  ["review/Rule/a", hostile.map((key) => `review/Rule/${key}`)],
  ['review/Rule/a"b', ["review/Group/not/declared"]],
]);
const graph = graphOf(declared, references, () => true);

/** Mermaid needs a DOM from the moment that it is loaded, and no other test of the worker must find one. */
async function loadMermaid() {
  vi.stubGlobal("window", new Window());
  try {
    return (await import("mermaid")).default;
  } finally {
    vi.unstubAllGlobals();
  }
}
let mermaid: Awaited<ReturnType<typeof loadMermaid>>;
beforeAll(async () => {
  mermaid = await loadMermaid();
});

/** The graph as Mermaid reads it: labels by service, and arrows between labels. */
async function read(text: string) {
  // Parsing also registers the diagrams.
  await mermaid.parse(text);
  const { db } = await mermaid.mermaidAPI.getDiagramFromText(text);
  const found: unknown = JSON.parse(
    JSON.stringify({
      nodes: "getVertices" in db && typeof db.getVertices === "function" ? [...db.getVertices()] : [],
      edges: "getEdges" in db && typeof db.getEdges === "function" ? db.getEdges() : [],
      groups: "getSubGraphs" in db && typeof db.getSubGraphs === "function" ? db.getSubGraphs() : [],
    }),
    (_name, value: unknown) =>
      typeof value === "string"
        ? value.replace(/ﬂ°°(\d+)¶ß/g, (_sign, code: string) => String.fromCodePoint(Number(code)))
        : value,
  );
  return found;
}

test("Mermaid reads the nodes of each service with any names, and the arrows", async () => {
  const text = mermaidText(graph, ['1 "file" %% is left out.']);
  expect(await read(text)).toMatchObject({
    nodes: graph.services.flatMap(({ nodes }) =>
      nodes.map(({ address, state }) => [
        expect.any(String),
        { text: address.replace(/^\w+\/(\w+)\//, "$1 "), classes: state === "present" ? [] : [state] },
      ]),
    ),
    edges: graph.edges.map(() => ({ type: "arrow_point" })),
    groups: [
      { title: "review", nodes: expect.objectContaining({ length: hostile.length + 2 }) },
      { title: "wiki", nodes: expect.objectContaining({ length: 1 }) },
    ],
  });
});

test("Graphviz draws the nodes of each service with any names, and the arrows", async () => {
  const viz = await instance();
  const svg = viz.renderString(dotText(graph, ["1 file\nis left out. */"]), { format: "svg" });
  const titles = [...svg.matchAll(/<g id="(node|edge|clust)\d+" class="\w+">\s*<title>(.*?)<\/title>/g)];
  const count = (is: string) => titles.filter(([, found]) => found === is).length;
  expect({ nodes: count("node"), edges: count("edge"), clusters: count("clust") }).toEqual({
    nodes: hostile.length + 3,
    edges: hostile.length + 1,
    clusters: 2,
  });
  const texts = [...svg.matchAll(/<text[^>]*>(.*?)<\/text>/g)].map(([, text = ""]) => unescaped(text));
  for (const key of hostile) expect(texts).toContain(`Rule ${key}`);
});

function unescaped(text: string): string {
  const document = new new Window().DOMParser().parseFromString(`<p>${text}</p>`, "text/html");
  return (document.querySelector("p")?.textContent ?? "").replaceAll("\u00a0", " ");
}

test("the same resources give the same text, in whatever order they come", () => {
  const turned: Graph = graphOf(
    declared.toReversed(),
    new Map([...references].toReversed().map(([from, to]) => [from, to.toReversed()])),
    () => true,
  );
  expect(dotText(turned)).toBe(dotText(graph));
  expect(mermaidText(turned)).toBe(mermaidText(graph));
});

test("a selection is shown with what it refers to, and nothing else", () => {
  const some = graphOf(declared, references, (address) => address === 'review/Rule/a"b');
  expect(mermaidText(some)).toMatchInlineSnapshot(`
    "flowchart LR
      subgraph s0["review"]
        n0["Group not/declared"]:::undeclared
        n1["Rule a#34;b"]
      end
      n1 --> n0
      classDef undeclared stroke-dasharray: 2 2
    "
  `);
  expect(dotText(some)).toMatchInlineSnapshot(`
    "digraph setpoint {
      rankdir=LR;
      node [shape=box];
      subgraph "cluster_review" {
        label="review";
        "review/Group/not/declared" [label="Group not/declared", style=dotted];
        "review/Rule/a\\"b" [label="Rule a\\"b"];
      }
      "review/Rule/a\\"b" -> "review/Group/not/declared";
    }
    "
  `);
});
