import type { Chance } from "./chance.ts";

/** What can happen to one request. `after` means once the request has taken effect. */
export const requestFaults = [
  "slow",
  "refused",
  "reset before",
  "reset after",
  "silent before",
  "silent after",
  "429",
  "429, later",
  "503",
  "503, later",
  "502 after",
  "cut",
  "twice, first answer",
  "twice, second answer",
  "stale",
  "stranger",
] as const;
export type RequestFault = (typeof requestFaults)[number];

/** What can happen to a run as a whole. */
export const runFaults = ["kill", "interrupt", "full disk", "second writer", "sink fails"] as const;
export type RunFault = (typeof runFaults)[number];

/** Faults under which a law does not hold yet, each with its reason. Whoever removes the reason removes the entry. */
export const heldBack: ReadonlySet<RequestFault | RunFault> = new Set<RequestFault | RunFault>([]);

/** Faults that are not drawn for seeds with tokens until two live generations with one description can be resolved. */
export const heldBackFromTokens: ReadonlySet<RequestFault | RunFault> = new Set<RequestFault | RunFault>([]);

/** The faults of one run, as drawn. */
export interface Weather {
  /** The probability that something happens to a request. */
  readonly share: number;
  readonly requests: readonly RequestFault[];
  readonly run: readonly RunFault[];
  /** The step of the run at which it is killed or interrupted, or the disk is full. */
  readonly step: number;
}

export const calm: Weather = { share: 0, requests: [], run: [], step: 0 };

/** Draws what happens to a run: few sorts of faults at a time, so that seeds differ from each other. */
export function drawWeather(chance: Chance, hasTokens: boolean): Weather {
  const isUsed = (fault: RequestFault | RunFault) =>
    !heldBack.has(fault) && !(hasTokens && heldBackFromTokens.has(fault));
  return {
    share: chance.pick([0.03, 0.1, 0.3]),
    requests: chance.some(requestFaults.filter(isUsed), 0.3),
    run: chance.hit(0.6) ? [chance.pick(runFaults.filter(isUsed))] : [],
    step: chance.below(chance.pick([10, 40, 120])),
  };
}
