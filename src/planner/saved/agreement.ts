import { numbered, type PlannedCall } from "../../core/call.ts";
import { canonicalJson } from "../../core/json.ts";
import type { Plan, PlannedChange } from "../../core/plan.ts";
import type { Problem } from "../../core/problem.ts";
import type { Address } from "../../core/resource.ts";
import { portable } from "./portable.ts";

/** A saved plan, and what was found out about it since. */
export interface Comparison {
  readonly saved: Plan;
  /** The plan that was made again of what has not moved: its calls are those that are sent. */
  readonly again: Plan;
  /** Resources that were looked at again. */
  readonly looked: ReadonlySet<Address>;
  /** Resources that nothing is done about, and why. */
  readonly held: ReadonlyMap<Address, Problem>;
  /** The folder of the workspace on this machine. */
  readonly folder: string;
}

/** The plan to execute, with the calls that are not sent, by id; or what the file holds and its manifests do not lead to. */
export type Agreed =
  | { readonly is: "agreed"; readonly plan: Plan; readonly withheld: ReadonlyMap<number, Problem> }
  | { readonly is: "wrong"; readonly problems: readonly Problem[] };

/**
 * Holds a saved plan against the same plan made again. Where nothing has moved, both must have the same changes, calls and
 * triggers, one for one; so what a file was edited to hold is never sent, and neither is what a kind compiles differently the
 * second time. The result has the calls that were made again: of the file's, nothing reaches a service.
 */
export function agree({ saved, again, looked, held, folder }: Comparison): Agreed {
  const heldBy = ({ carries }: PlannedCall) => carries.map((address) => held.get(address)).find(Boolean);
  const kept = saved.calls.filter((call) => heldBy(call) !== undefined);
  const expected = saved.calls.filter((call) => heldBy(call) === undefined);
  // What is unknown, needs a person or has moved leaves an apply incomplete, and triggers are only for a complete one.
  const isWhole =
    held.size === 0 && saved.unknown.length === 0 && saved.changes.every(({ action }) => action !== "check");
  const triggers = (isWhole ? again : saved).triggers ?? [];
  const shownAgain = portable(again, folder);
  const problems = [
    ...trustProblems(saved, again),
    ...changeProblems(
      saved.changes.filter(({ address }) => looked.has(address) && !held.has(address)),
      shownAgain.changes,
    ),
    ...callProblems(expected, shownAgain.calls),
    ...(isWhole ? callProblems(saved.triggers ?? [], shownAgain.triggers ?? []) : []),
  ];
  if (problems.length > 0) return { is: "wrong", problems };
  // Numbered anew, so that nothing depends on the numbers of the file.
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

const notWhole: Problem = { code: "SP4002", message: "The apply is not complete, so it is not started." };

const hint = "Plan again, and apply the file as it is.";

/** What a reviewer was told of the rules. The ref's name does not count: its commit is one of the manifests' rules. */
function trustProblems({ trusted: saved }: Plan, { trusted: again }: Plan): readonly Problem[] {
  const said = (trusted: Plan["trusted"]) => canonicalJson([trusted?.changes ?? [], trusted?.onceMerged ?? []]);
  if (said(saved) === said(again)) return [];
  return [{ code: "SP2005", message: "What the plan says of trusted rules is not what the manifests lead to.", hint }];
}

function changeProblems(saved: readonly PlannedChange[], again: readonly PlannedChange[]): readonly Problem[] {
  const texts = new Map(again.map((change) => [change.address, textOf(change)]));
  const expected = new Set(saved.map(({ address }) => address));
  return [
    ...saved
      .filter((change) => texts.get(change.address) !== textOf(change))
      .map(({ address }) => ({
        address,
        message: `The plan's change of ${address} is not what the manifests lead to.`,
      })),
    ...again
      .filter(({ address }) => !expected.has(address))
      .map(({ address }) => ({
        address,
        message: `The manifests lead to a change of ${address}, which the plan does not hold.`,
      })),
  ].map((problem) => ({ code: "SP2005", ...problem, hint }));
}

/** A change without what belongs to the moment of reading: who did what, and where a file has it. */
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
      problemOf(call, "the plan holds this call, and the manifests do not lead to it."),
    ),
    ...without(again, saved).map((call) =>
      problemOf(call, "the manifests lead to this call, and the plan does not hold it."),
    ),
  ];
}

/** The calls that another list does not have, each as often as it is missing there. */
function without(calls: readonly PlannedCall[], others: readonly PlannedCall[]): readonly PlannedCall[] {
  const left = Map.groupBy(others, contentOf);
  return calls.filter((call) => left.get(contentOf(call))?.shift() === undefined);
}

/** All of a call but its numbers. */
function contentOf({ id: _id, parts = [], ...call }: PlannedCall): string {
  return canonicalJson({ ...call, parts: parts.map(({ id: _own, ...part }) => part) });
}
