import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Observation } from "../../core/change.ts";
import { isObject } from "../../core/json.ts";
import type { Address } from "../../core/resource.ts";
import { runsFolder } from "../journal.ts";

const Intent = z.object({
  event: z.literal("intent"),
  call: z.object({ id: z.int(), carries: z.array(z.string()).readonly(), deliver: z.looseObject({}) }),
});
const Result = z.object({
  event: z.literal("outcome"),
  outcome: z.object({
    id: z.int(),
    result: z.enum(["done", "failed", "lost", "skipped"]),
    problem: z.object({ code: z.string() }).optional(),
  }),
});
const Step = z.union([Intent, Result]);

/** Failures after which the new secret may exist all the same. */
const unsure: ReadonlySet<string> = new Set(["SP3009", "SP3101", "SP3103", "SP3104", "SP4005", "SP5003"]);

/**
 * The resources whose new secret may never have reached its sink, after the entries of one run: it was asked for, and
 * that it was delivered is not in the journal.
 */
export function undeliveredAfter(before: ReadonlySet<Address>, entries: readonly unknown[]): ReadonlySet<Address> {
  const undelivered = new Set(before);
  const asked = new Map<number, readonly Address[]>();
  for (const { data } of entries.map((entry) => Step.safeParse(entry))) {
    if (data?.event === "intent") {
      asked.set(data.call.id, data.call.carries);
      for (const address of data.call.carries) undelivered.add(address);
    }
    if (data?.event === "outcome") {
      const { id, result, problem } = data.outcome;
      const isRefused = result === "failed" && problem !== undefined && !unsure.has(problem.code);
      for (const address of asked.get(id) ?? [])
        if (result === "done" || (isRefused && !before.has(address))) undelivered.delete(address);
    }
  }
  return undelivered;
}

/** The same after all runs whose journals are in the workspace. A line that a killed run left half written says nothing. */
export function undeliveredIn(folder: string): ReadonlySet<Address> {
  const runs = runsFolder(folder);
  // What is in the way of the journal is said by the run that has to write one.
  if (statSync(runs, { throwIfNoEntry: false })?.isDirectory() !== true) return new Set();
  return readdirSync(runs)
    .filter((name) => name.endsWith(".jsonl"))
    .sort()
    .map((name) => readFileSync(join(runs, name), "utf8").split("\n").map(parsed))
    .reduce(undeliveredAfter, new Set<Address>());
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** What is seen of a resource whose secret was not delivered: as it is, but without its sink. */
export function withoutDelivery(observation: Observation): Observation {
  if (observation.is !== "present" || !isObject(observation.spec)) return observation;
  const { deliver: _notThere, ...spec } = observation.spec;
  return { ...observation, spec, note: "the last run did not deliver it" };
}
