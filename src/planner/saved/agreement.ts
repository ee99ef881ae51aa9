import { numbered, type PlannedCall } from "../../core/call.ts";
import type { Problem, Wrong } from "../../core/problem.ts";
import type { Address } from "../../core/resource.ts";
import type { Plan, PlannedChange } from "../../core/run/plan.ts";
import { canonicalJson } from "../../core/text/json.ts";
import { inOrder } from "../../core/text/words.ts";
import { portable } from "./manifests.ts";

/** A saved plan, and what was found out since about the state that it describes. */
export interface Comparison {
  readonly saved: Plan;
  /** The plan made again from resources that have not moved. Its calls are the ones that are sent. */
  readonly again: Plan;
  /** Resources that were looked at again. */
  readonly looked: ReadonlySet<Address>;
  /** Resources that are not changed, and why. */
  readonly held: ReadonlyMap<Address, Problem>;
  /** Changes of the saved plan that are already made, and not made again. */
  readonly done: ReadonlySet<Address>;
  /** The folder of the workspace on this machine. */
  readonly folder: string;
}

/** The plan to execute, with the calls that are not sent, by id; or the differences between the file and its manifests. */
export type Agreed =
  | { readonly is: "agreed"; readonly plan: Plan; readonly withheld: ReadonlyMap<number, Problem> }
  | Wrong;

/**
 * Compares a saved plan with the same plan made again. For resources that have not moved, both must have the same changes, calls
 * and triggers, one for one. So a call that was edited into the file is never sent, and neither is one that a kind compiles
 * differently the second time. The result has the calls that were made again: no call of the file reaches a service.
 */
export function agree({ saved: whole, again, looked, held, done, folder }: Comparison): Agreed {
  const saved = withoutDone(whole, done);
  const heldBy = ({ carries }: PlannedCall) => carries.map((address) => held.get(address)).find(Boolean);
  const kept = saved.calls.filter((call) => heldBy(call) !== undefined);
  const expected = saved.calls.filter((call) => heldBy(call) === undefined);
  // A resource that is unknown, needs a person or has moved leaves the apply incomplete. Triggers run only after a complete one.
  const isWhole =
    held.size === 0 && saved.unknown.length === 0 && saved.changes.every(({ action }) => action !== "check");
  const triggers = (isWhole ? again : saved).triggers ?? [];
  const shownAgain = portable(again, folder);
  // What waited for something that is done comes earlier.
  const inPhases = <One extends object>(all: readonly One[]) =>
    done.size === 0 ? all : all.map((one) => ({ ...one, phase: 0 }));
  const problems = [
    ...trustProblems(saved, again),
    ...changeProblems(
      inPhases(saved.changes.filter(({ address }) => looked.has(address) && !held.has(address))),
      inPhases(shownAgain.changes),
    ),
    ...callProblems(inPhases(expected), inPhases(shownAgain.calls)),
    ...(isWhole ? callProblems(inPhases(saved.triggers ?? []), inPhases(shownAgain.triggers ?? [])) : []),
  ];
  if (problems.length > 0) return { is: "wrong", problems };
  // Calls are numbered again, so that nothing depends on the numbers in the file.
  const made = [...again.calls, ...kept].toSorted((a, b) => a.phase - b.phase);
  const all = numbered([...made, ...triggers]);
  const [calls, started] = [all.slice(0, made.length), all.slice(made.length)];
  const withheld = new Map<number, Problem>();
  for (const call of calls) {
    const problem = heldBy(call);
    if (problem !== undefined) withheld.set(call.id, problem);
  }
  if (!isWhole) for (const { id } of started) withheld.set(id, notWhole);
  return { is: "agreed", plan: { ...saved, calls, ...(started.length === 0 ? {} : { triggers: started }) }, withheld };
}

const notWhole: Problem = { code: "SP4002", message: "The apply is incomplete, so this call was not sent." };

const hint = "Plan again, and apply the file unchanged.";

/** Compares what both plans say about the rules. The ref's name is not compared: its commit is one of the manifests' rules. */
function trustProblems({ trusted: saved }: Plan, { trusted: again }: Plan): readonly Problem[] {
  const said = (trusted: Plan["trusted"]) => canonicalJson([trusted?.changes ?? [], trusted?.onceMerged ?? []]);
  if (said(saved) === said(again)) return [];
  return [
    { code: "SP2005", message: "What the plan says about trusted rules does not follow from the manifests.", hint },
  ];
}

function changeProblems(saved: readonly PlannedChange[], again: readonly PlannedChange[]): readonly Problem[] {
  const texts = new Map(again.map((change) => [change.address, textOf(change)]));
  const expected = new Set(saved.map(({ address }) => address));
  return [
    ...saved
      .filter((change) => texts.get(change.address) !== textOf(change))
      .map(({ address }) => ({
        address,
        message: `The plan's change of ${address} does not follow from the manifests.`,
      })),
    ...again
      .filter(({ address }) => !expected.has(address))
      .map(({ address }) => ({
        address,
        message: `A change of ${address} follows from the manifests, but is not in the plan.`,
      })),
  ].map((problem) => ({ code: "SP2005", ...problem, hint }));
}

/** Returns the canonical JSON of a change, without what can vary between readings: its events and its places in files. */
function textOf({ events: _events, place: _place, fields, ...change }: PlannedChange): string {
  return canonicalJson({ ...change, fields: fields.map(({ place: _at, ...field }) => field) });
}

function callProblems(saved: readonly PlannedCall[], again: readonly PlannedCall[]): readonly Problem[] {
  const problemOf = ({ service, operation, carries }: PlannedCall, words: string): Problem => {
    const what = carries.length === 0 ? "" : ` for ${carries.join(", ")}`;
    return { code: "SP2005", service, operation, message: `${service}.${operation}${what}: ${words}`, hint };
  };
  return [
    ...without(saved, again).map((call) =>
      problemOf(call, "this call is in the plan, but does not follow from the manifests."),
    ),
    ...without(again, saved).map((call) =>
      problemOf(call, "this call follows from the manifests, but is not in the plan."),
    ),
  ];
}

/** Returns the calls that another list does not have, each as often as it is missing there. */
function without(calls: readonly PlannedCall[], others: readonly PlannedCall[]): readonly PlannedCall[] {
  const left = Map.groupBy(others, contentOf);
  return calls.filter((call) => left.get(contentOf(call))?.shift() === undefined);
}

/** Returns the canonical JSON of a call without its ids. */
function contentOf({ id: _id, parts = [], ...call }: PlannedCall): string {
  return canonicalJson({ ...call, parts: parts.map(({ id: _own, ...part }) => part) });
}

/** Returns a plan in which some changes are already made, so that what they were to change is in sync. */
export function withoutDone(plan: Plan, done: ReadonlySet<Address>): Plan {
  if (done.size === 0) return plan;
  const isLeft = (address: Address) => !done.has(address);
  const until = new Set(plan.ignored.filter((one) => one.until !== undefined).map(({ address }) => address));
  return {
    ...plan,
    changes: plan.changes
      .filter(({ address }) => isLeft(address))
      .map((change) => ({ ...change, dependsOn: change.dependsOn.filter(isLeft) })),
    calls: plan.calls.filter(({ carries }) => carries.some(isLeft)),
    inSync: [...plan.inSync, ...[...done].filter((address) => !until.has(address))].sort(inOrder),
  };
}
