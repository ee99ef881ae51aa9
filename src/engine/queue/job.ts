import { hash } from "node:crypto";
import { createRequire } from "node:module";
import { z } from "zod";
import { listOf, objectOf } from "../../core/readonly.ts";
import type { Service } from "../../core/service.ts";
import { sinkOf } from "../../core/sink.ts";
import { groupsBy } from "../../core/text/groups.ts";
import { canonicalJson, isObject } from "../../core/text/json.ts";
import type { Scope } from "../../planner/subjects.ts";

/** A run whose reading is spread over workers: its id, and the moment that all its jobs are read for. */
export interface SpreadRun {
  readonly id: string;
  readonly now: Date;
}

/** The question to a worker: to read scopes of one kind. It never has credentials: a worker uses its own. */
export const Ask = objectOf({
  run: z.string(),
  now: z.iso.datetime(),
  kind: z.string(),
  scopes: listOf(
    z.strictObject({
      scope: z.string(),
      targets: listOf(objectOf({ address: z.string(), specs: listOf(z.unknown()) })),
    }),
  ),
});
export type Ask = z.infer<typeof Ask>;

/** A batch of scopes as a job. */
export interface Job {
  /** The same for the same question of the same run, so that a run that is taken up again finds earlier answers. */
  readonly id: string;
  /** The queue of the service as this version of setpoint and this workspace know it. */
  readonly queue: string;
  readonly service: string;
  readonly scopes: readonly Scope[];
  readonly ask: Ask;
}

/** Targets of one job: few enough that a dying worker loses little, and enough that a job's own cost is small in comparison. */
const targetsOfJob = 50;
/** Characters of one job, unless a single scope has more. */
const charactersOfJob = 262_144;

/**
 * Returns the queue of a service. A worker takes only jobs of a queue with this name, so both sides agree on everything in the
 * name: the version, the service's URLs and wire, and its pace. Other workers never see the jobs.
 */
export function queueOf({ name, type, url, urls = {}, wire, limits }: Service): string {
  const { requestsPerSecond = null } = limits;
  return `${name}.${digest({ version: packageVersion(), type, url, urls, wire, requestsPerSecond }).slice(0, 12)}`;
}

/** Whether this is the name of a queue of a service. */
export function isQueue(name: string): boolean {
  return /^[a-z0-9-]+\.[0-9a-f]{12}$/.test(name);
}

/** Returns the name of the service that a queue belongs to. */
export function serviceOfQueue(queue: string): string {
  return queue.slice(0, queue.lastIndexOf("."));
}

/** Whether a scope is read here and by no worker: it depends on a secret that was delivered where the manifests are. */
export function isReadHere({ targets }: Scope): boolean {
  return targets.some(({ specs }) => specs.some((spec) => sinkOf(spec) !== undefined));
}

/** Returns scopes as jobs, in order. A scope is never divided, and a job has scopes of one kind of one service. */
export function jobsOf(
  scopes: readonly Scope[],
  services: ReadonlyMap<string, Service>,
  { id: run, now }: SpreadRun,
): readonly Job[] {
  return groupsBy(scopes, ({ service, kind }) => [service, kind.kind]).flatMap(({ first, all }) => {
    const service = services.get(first.service);
    if (service === undefined) return [];
    const queue = queueOf(service);
    return batchesOf(all).map((batch): Job => {
      const ask = { run, now: now.toISOString(), kind: first.kind.kind, scopes: batch.map(asked) };
      return { id: `j${digest([queue, ask])}`, queue, service: service.name, scopes: batch, ask };
    });
  });
}

function batchesOf(scopes: readonly Scope[]): readonly (readonly Scope[])[] {
  const batches: Scope[][] = [];
  let room = { targets: 0, characters: 0 };
  for (const scope of scopes) {
    const cost = { targets: scope.targets.length, characters: JSON.stringify(asked(scope)).length };
    const last = batches.at(-1);
    if (last !== undefined && cost.targets <= room.targets && cost.characters <= room.characters) {
      last.push(scope);
      room = { targets: room.targets - cost.targets, characters: room.characters - cost.characters };
    } else {
      batches.push([scope]);
      room = { targets: targetsOfJob - cost.targets, characters: charactersOfJob - cost.characters };
    }
  }
  return batches;
}

function asked({ scope, targets }: Scope): Ask["scopes"][number] {
  return { scope, targets: targets.map(({ address, specs }) => ({ address, specs })) };
}

function digest(value: unknown): string {
  return hash("sha256", canonicalJson(value)).slice(0, 32);
}

/** Returns the version of this package, wherever in the package the code is. */
function packageVersion(): string {
  const found: unknown = createRequire(import.meta.url)("setpoint/package.json");
  return isObject(found) ? String(found.version) : "";
}
