import { isMap, parseAllDocuments } from "yaml";
import { Sink } from "../../src/core/sink.ts";
import { isObject } from "../../src/core/text/json.ts";
import { kinds } from "../../src/reconcilers/registry.ts";
import { World } from "../../src/sandbox/world.ts";
import { written } from "../support/manifest.ts";
import { exampleOf, exampleWorld } from "../support/worlds/examples.ts";
import type { Chance } from "./chance.ts";
import { calm } from "./faults.ts";
import { changed, place } from "./flat.ts";
import { type Machine, machineOf, sinkName } from "./machine.ts";
import { runProgram, type Texts } from "./program.ts";
import { acts } from "./stranger.ts";
import { virtualTime } from "./time.ts";
import { universeOf } from "./universe.ts";

/** A token that a document declares. */
export interface DeclaredToken {
  readonly role: "artifacts" | "tracker" | "wiki";
  readonly description: string;
  readonly sink: string;
}

/** A document that manifests can have. */
export interface Item {
  readonly kind: string;
  readonly document: Readonly<Record<string, unknown>>;
  /** Whether its objects can be deleted. */
  readonly isDeletable: boolean;
  readonly token: DeclaredToken | undefined;
  /** Paths of a world that the document may change. */
  readonly own: ReadonlySet<string>;
}

/** Everything that situations are drawn from. */
export interface Pool {
  readonly items: readonly Item[];
  readonly files: Texts["files"];
  /** The world of the examples, before and after all of them are applied. */
  readonly before: World;
  readonly after: World;
  readonly vault: ReadonlyMap<string, string>;
}

const day = 86_400_000;
const year = Date.parse("2026-03-01T00:00:00Z");

/** Tokens of the tracker or the wiki, one of which has another lifetime than declared. */
const stale = (role: string) => ({
  tokens: [
    {
      id: 5,
      user: "admin",
      description: "deploy",
      created: year,
      validUntil: year + 365 * day,
      secret: `${role}-stale`,
    },
    {
      id: 6,
      user: "admin",
      description: "nobody's",
      created: year,
      validUntil: year + 365 * day,
      secret: `${role}-other`,
    },
  ],
});

function startWorld(): World {
  const world = exampleWorld();
  const issued = "2026-01-01T00:00:00.000Z";
  const token = { username: "admin", scope: "applied-permissions/user", issued, expires_in: 0 };
  return World.parse({
    ...world,
    analysis: {
      ...world.analysis,
      sources: {
        "https://analysis-old.example.com:8080": { roles: [{ name: "Release board" }], groups: [{ name: "safety" }] },
      },
    },
    artifacts: {
      ...world.artifacts,
      tokens: [
        { ...token, token_id: "old", description: "deploy" },
        { ...token, token_id: "other", description: "nobody's" },
      ],
    },
    ci: { ...world.ci, jobs: { ...world.ci.jobs, nobodys: { config: "<project/>" } } },
    tracker: { ...world.tracker, tokenPlugin: { ...stale("tracker"), givesId: false } },
    wiki: {
      ...world.wiki,
      pages: {
        ...world.wiki.pages,
        900: { space: "OPS", title: "Nobody's", body: "<p>x</p>", versions: [{ number: 1, by: "jdoe" }] },
      },
      tokenPlugin: stale("wiki"),
    },
  });
}

/** New tokens and rotated tokens, in addition to those of the examples. */
const tokens = [
  {
    kind: "AccessToken",
    spec: { description: "deploy", scope: "applied-permissions/admin", deliver: { file: "a/deploy" } },
  },
  { kind: "AccessToken", spec: { description: "fresh", deliver: { file: "a/fresh" } } },
  {
    kind: "PersonalToken",
    metadata: { service: "tracker" },
    spec: { description: "deploy", validFor: 3, deliver: { file: "t/deploy" } },
  },
  {
    kind: "PersonalToken",
    metadata: { service: "wiki" },
    spec: { description: "deploy", validFor: 3, deliver: { file: "w/deploy" } },
  },
  {
    kind: "PersonalToken",
    metadata: { service: "wiki" },
    spec: { description: "fresh", validFor: 3, deliver: { file: "w/fresh" } },
  },
];

/** Matches examples that need another example, or an account that the sandbox lacks. */
const notAlone = /\]\(files\/|8a7f808a6c1d/;

/** Reads the examples, and applies each of them in calm weather to find the paths that it may change. */
export async function openPool(): Promise<Pool> {
  const examples = await Promise.all([...kinds.keys()].map(exampleOf));
  const files = Object.assign({}, ...examples.map((example) => example.files));
  const documents = [
    ...examples.flatMap(({ now }) =>
      parseAllDocuments(now).flatMap((one) => (isMap(one.contents) ? [objectOf(one.toJS())] : [])),
    ),
    ...tokens,
  ].filter((document) => !notAlone.test(JSON.stringify(document)));
  const before = startWorld();
  const machine = machineOf();
  const all = { now: written(documents), base: "", files };
  // The second apply deletes what deletions of the first one left in the trash.
  const after = await applied(await applied(before, all, machine), all, machine);
  const disturbed = acts.reduce((world, act) => act(world), before);
  const items: Item[] = [];
  for (const document of documents) {
    const kind = kinds.get(String(document.kind));
    if (kind === undefined) throw new Error(`No kind ${document.kind}.`);
    const isDeletable = kind.permanent !== true && kind.compile !== undefined;
    const absent = { now: written([withoutIt(document)]), base: "", files };
    const present = { ...absent, now: written([document]) };
    const moves: (readonly [World, World])[] = [[before, await applied(before, present, machineOf())]];
    if (isDeletable)
      moves.push(
        [before, await applied(before, absent, machineOf())],
        [after, await applied(after, absent, machineOf())],
      );
    // An apply also corrects what the stranger changes.
    moves.push([disturbed, await applied(disturbed, present, machineOf())]);
    const own = new Set(moves.flatMap(([from, to]) => [...changed(from, to)].map(place)));
    items.push({ kind: kind.kind, document, isDeletable, token: tokenOf(document), own });
  }
  return { items, files, before, after, vault: machine.vault };
}

/** Returns the world after an apply in which nothing goes wrong. */
async function applied(world: World, texts: Texts, machine: Machine): Promise<World> {
  const universe = universeOf(world);
  const stage = { universe, time: virtualTime(), chance: silent, machine, acts: [] };
  const ending = await runProgram(stage, texts, calm, "alone");
  if (ending.is === "refused") throw ending.error;
  return universe.world;
}

const silent: Chance = {
  next: () => 0,
  below: () => 0,
  hit: () => false,
  pick: () => {
    throw new Error("Nothing is picked in calm weather.");
  },
  some: () => [],
  fork: () => silent,
};

/** Returns a document that states that its objects should not exist. */
export function withoutIt(document: Item["document"]): Item["document"] {
  return { ...document, metadata: { ...objectOf(document.metadata), state: "absent" } };
}

function tokenOf({ kind, spec, metadata }: Item["document"]): DeclaredToken | undefined {
  const { description, deliver } = objectOf(spec);
  const sink = Sink.safeParse(deliver).data;
  if (typeof description !== "string" || sink === undefined) return undefined;
  const { service } = objectOf(metadata);
  const role = kind === "AccessToken" ? "artifacts" : service === "wiki" ? "wiki" : "tracker";
  return { role, description, sink: sinkName(sink) };
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}
