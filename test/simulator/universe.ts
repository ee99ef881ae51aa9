import { createHash } from "node:crypto";
import type { RecordedRequest } from "../../src/sandbox/server/respond.ts";
import { type Received, type Responded, respond } from "../../src/sandbox/server/respond.ts";
import type { World } from "../../src/sandbox/world.ts";

/** A call under way: its name, and a number of its own. */
export interface CallUnderWay {
  readonly name: string;
  readonly number: number;
}

/** A write that reached the services, and whether it changed them. */
export interface Arrival {
  readonly run: string;
  /** The call that sent it; undefined for a request outside of calls. */
  readonly call: CallUnderWay | undefined;
  readonly record: RecordedRequest;
  /** A digest of what was sent: equal if a request is sent again. */
  readonly request: string;
  readonly hasEffect: boolean;
  /** Whether the network delivered it a second time. */
  readonly isCopy: boolean;
}

/** What a stranger does to a world. Returns the same world if there is nothing to do it to. */
export type Act = (world: World) => World;

/** The services, and what only the simulation knows about them. */
export interface Universe {
  world: World;
  /** The world before each of the last writes, the newest last. */
  readonly past: World[];
  /** The world in which the stranger is alone. */
  untouched: World;
  readonly arrivals: Arrival[];
  /** The services that the stranger changed. */
  readonly disturbed: Set<string>;
  readonly trace: string[];
  /** The faults that occurred. */
  readonly faults: string[];
}

export function universeOf(world: World): Universe {
  return { world, past: [], untouched: world, arrivals: [], disturbed: new Set(), trace: [], faults: [] };
}

/** The most writes that a stale answer can lag behind. */
const memory = 3;

/** Answers a request, and records it if it is not a read. */
export function arrive(
  universe: Universe,
  received: Received,
  sender: Pick<Arrival, "run" | "call" | "isCopy">,
): Responded {
  const { world } = universe;
  const responded = respond(received, world);
  const hasEffect = responded.world !== world;
  if (hasEffect) {
    universe.past.push(world);
    if (universe.past.length > memory) universe.past.shift();
    universe.world = responded.world;
  }
  const digest = createHash("sha256").update(`${received.method} ${received.url} ${received.content.sha256}`);
  if (responded.record.effect !== "read")
    universe.arrivals.push({ ...sender, record: responded.record, request: digest.digest("hex"), hasEffect });
  return responded;
}

/** Returns the answer that a request would have had before the last writes; undefined unless it is a read. */
export function staleAnswer(universe: Universe, received: Received): Responded | undefined {
  const [before] = universe.past;
  if (before === undefined) return undefined;
  const responded = respond(received, before);
  return responded.record.effect === "read" ? responded : undefined;
}

/** Performs an act of the stranger. */
export function disturb(universe: Universe, act: Act): void {
  const after = act(universe.world);
  if (after === universe.world) return;
  universe.disturbed.add(
    Object.entries(after)
      .flatMap(([role, state]) =>
        Object.entries(universe.world).some(([name, old]) => name === role && old === state) ? [] : [role],
      )
      .join(),
  );
  universe.world = after;
  universe.untouched = act(universe.untouched);
}
