import { withParts } from "../../core/call.ts";
import type { Problem, ProblemCode } from "../../core/problem.ts";
import type { Address, Resource } from "../../core/resource.ts";
import type { CallOutcome, Outcome } from "../../core/run/outcome.ts";
import type { Plan, PlannedChange } from "../../core/run/plan.ts";
import { defined } from "../../core/text/json.ts";
import type { Decision } from "../../planner/decide.ts";
import { fingerprintsOf } from "../../planner/make-plan.ts";
import { type Decided, type Declarations, laneOf, subjectsOf } from "../../planner/subjects.ts";
import { observeSubjects, scopeReader } from "../observe/observe.ts";
import type { Readers } from "../sessions.ts";

/** The problem of a call whose remote object is not as the plan saw it. */
export const moved: Problem = {
  code: "SP4003",
  message: "It has changed since the plan, so the call was not made.",
  hint: "Plan again and review what changed.",
};

/**
 * Returns the lanes that are not as the plan saw them and so get no call, each with the reason. Worth its reads if time has
 * passed since the plan was made, for example while a person looked at it.
 */
export async function staleLanes(
  plan: Plan,
  declarations: Declarations,
  readers: Readers,
): Promise<ReadonlyMap<string, Problem>> {
  const lanes = new Set(plan.calls.map(({ lane }) => lane));
  const subjects = subjectsOf(declarations).filter(({ lane }) => lanes.has(lane));
  const reasonAgainst = whyHeld(plan, await observeSubjects(declarations, subjects, scopeReader(readers)));
  return new Map(
    [...lanes].flatMap((lane) => {
      const reason = reasonAgainst(lane);
      return reason === undefined ? [] : [[lane, reason] as const];
    }),
  );
}

/**
 * Returns a function that says why nothing is sent to a lane, given its current state; undefined if it is as the plan saw it. A
 * lane that can no longer be read may or may not have changed.
 */
export function whyHeld(
  { fingerprints, unknown }: Plan,
  decided: readonly Decided[],
  other = moved,
): (lane: string) => Problem | undefined {
  const now = fingerprintsOf(decided);
  const unknownBefore = new Set(unknown.map(({ address }) => address));
  const unread = new Map(
    decided.flatMap(({ observation, address, lane }) =>
      observation.is === "unknown" && !unknownBefore.has(address) ? [[lane, observation.problem] as const] : [],
    ),
  );
  return (lane) => (now[lane] === fingerprints[lane] ? undefined : (unread.get(lane) ?? other));
}

/** Reads the given resources again and decides about each again. */
export async function reread(
  declarations: Declarations,
  addresses: readonly Address[],
  readers: Readers,
): Promise<ReadonlyMap<Address, Decision>> {
  const wanted = new Set(addresses);
  const selected: Declarations["selected"] = (one) => wanted.has(one.address) && declarations.selected(one);
  // Made and sorted for these alone: an apply reads again after a phase, too.
  const subjects = subjectsOf({ ...declarations, selected });
  const decided = await observeSubjects(declarations, subjects, scopeReader(readers));
  return new Map(decided.map(({ address, decision }) => [address, decision]));
}

/**
 * Returns the resources worth reading again: all whose calls were sent, unless the service refused a call, because a refusal
 * means that nothing changed. After an undecided call, reading again decides.
 */
export function toVerify(plan: Plan, calls: readonly CallOutcome[]): readonly Address[] {
  const byAddress = callsByAddress(plan, calls);
  return plan.changes
    .filter(({ address, action }) => {
      const own = byAddress.get(address) ?? [];
      const bad = own.find(({ result }) => result !== "done");
      return own.length > 0 && (bad === undefined || isUndecided(bad, action));
    })
    .map(({ address }) => address);
}

/** Returns the resources in sync that calls may have undone: their kind is judged by a scope in which a call was sent. */
export function bystanders(plan: Plan, calls: readonly CallOutcome[], declarations: Declarations): readonly Resource[] {
  const laneAt = new Map(withParts(plan.calls).map(({ id, lane }) => [id, lane]));
  const touched = new Set(calls.flatMap(({ id, result }) => (result === "skipped" ? [] : laneAt.get(id))));
  const inSync = new Set(plan.inSync);
  return declarations.desired.filter(
    ({ address, kind, service, scope }) =>
      declarations.kinds.get(kind)?.judgedByScope === true &&
      touched.has(laneOf(service, scope)) &&
      inSync.has(address),
  );
}

/** Returns a problem for each resource that was in sync and no longer is. */
export function undone(resources: readonly Resource[], decisions: ReadonlyMap<Address, Decision>): readonly Problem[] {
  return resources.flatMap(({ address, service }) => {
    const decision = decisions.get(address);
    if (decision?.is !== "change") return [];
    const { what, why } = differenceIn(decision, "the resource");
    const message = `It was in sync before this apply, and no longer is: ${what}.`;
    return [
      { code: "SP4001", service, address, message, hint: why ?? "Another change of this apply undid it: plan again." },
    ];
  });
}

/** Returns the outcome of every changed resource that calls could close. */
export function outcomesOf(
  plan: Plan,
  calls: readonly CallOutcome[],
  decisions: ReadonlyMap<Address, Decision>,
): readonly Outcome[] {
  const byAddress = callsByAddress(plan, calls);
  const operations = new Map(withParts(plan.calls).map(({ id, operation }) => [id, operation]));
  return plan.changes.flatMap(({ address, service, action }): readonly Outcome[] => {
    if (action === "check") return [];
    const own = byAddress.get(address) ?? [];
    const bad = own.find(({ result }) => result !== "done");
    const problem = bad?.problem && afterDone(bad.problem, own, operations);
    const decision = decisions.get(address);
    if (bad !== undefined && !isUndecided(bad, action)) return [defined({ address, result: resultOf(bad), problem })];
    switch (decision?.is) {
      case "in sync": {
        const left = bad === undefined || action !== "create" ? [] : leftAloneIn(decision);
        if (left.length === 0) return [{ address, result: "applied" }];
        return [defined({ address, result: "failed", problem: unset(problem, left) })];
      }
      case "change":
        return [{ address, result: "failed", problem: notTaken(address, service, decision, problem) }];
      default:
        return [defined({ address, result: "unknown", problem: unverified(problem, decision?.problem) })];
    }
  });
}

/** Returns the problem of a change that could not be read again: that of its call, or of a service that accepted it. */
function unverified(problem: Problem | undefined, unread: Problem | undefined): Problem | undefined {
  const shown = problem ?? unread;
  if (shown === undefined || unread === undefined) return shown;
  const message =
    problem === undefined
      ? `The service accepted the call, but it could not be verified. ${unread.message}`
      : `${problem.message} Reading it again failed too.`;
  return { ...shown, message, hint: "Make a new plan: it shows whether the change took effect." };
}

/** Returns the fields that differ and that no apply corrects. */
function leftAloneIn({ ignored, acknowledged = [] }: Extract<Decision, { readonly is: "in sync" }>): readonly string[] {
  return [...ignored, ...acknowledged.map(({ field }) => field)];
}

/** Returns the problem of a call that was to give a new object the values of fields that later applies leave alone. */
function unset(problem: Problem | undefined, fields: readonly string[]): Problem | undefined {
  return (
    problem && {
      ...problem,
      message: `${problem.message} It now exists without the declared ${fields.join(", ")}.`,
      hint: `Set ${fields.join(", ")} manually: later applies leave that alone, as \`metadata.ignore\` says.`,
    }
  );
}

/** Returns the outcomes of each resource's calls, in the order of `calls`. A divided call is replaced by its part. */
function callsByAddress(plan: Plan, calls: readonly CallOutcome[]): ReadonlyMap<Address, readonly CallOutcome[]> {
  const carries = new Map(withParts(plan.calls).map((call) => [call.id, call.carries]));
  const closing = calls
    .filter(({ result }) => result !== "divided")
    .flatMap((call) => (carries.get(call.id) ?? []).map((address) => ({ address, call })));
  const byAddress = Map.groupBy(closing, ({ address }) => address);
  return new Map([...byAddress].map(([address, own]) => [address, own.map(({ call }) => call)]));
}

/** Returns the problem of a call; its message adds what was already done for its resource. */
function afterDone(problem: Problem, own: readonly CallOutcome[], operations: ReadonlyMap<number, string>): Problem {
  const done = own.filter(({ result }) => result === "done");
  const names = done.flatMap(({ id }) => operations.get(id) ?? []);
  if (names.length === 0) return problem;
  return {
    ...problem,
    message: `${problem.message} Done before, and still in effect: ${[...new Set(names)].join(", ")}.`,
  };
}

/** Problems that do not say whether a call took effect: a version conflict, a failure of the server, a strange answer. */
const undecided: ReadonlySet<string | undefined> = new Set<ProblemCode>(["SP3006", "SP3009", "SP3103", "SP3104"]);

/**
 * Whether the outcome of a resource whose call was sent is not known. If the call does not find an object that the plan saw, the
 * call itself may have deleted it: a gateway may have sent it twice.
 */
export function isUndecided(
  { result, problem }: Pick<CallOutcome, "result"> & { readonly problem?: { readonly code: string } | undefined },
  action: PlannedChange["action"] | undefined,
): boolean {
  if (result !== "failed") return result === "lost";
  const wasSeen = action === "delete" || action === "update";
  return undecided.has(problem?.code) || (wasSeen && problem?.code === "SP3005");
}

function resultOf({ result, problem }: CallOutcome): Outcome["result"] {
  if (problem?.code === "SP4003") return "stale";
  return result === "skipped" ? "skipped" : "failed";
}

/** Returns the problem of a change that did not take effect: that of its call, or of a service that accepted it. */
function notTaken(
  address: Address,
  service: string,
  decision: Extract<Decision, { readonly is: "change" }>,
  problem: Problem | undefined,
): Problem {
  if (problem !== undefined)
    return { ...problem, message: `${problem.message} Reading it again shows that it still differs.` };
  const { what, why } = differenceIn(decision, decision.change.action === "delete" ? "the delete" : "the resource");
  return {
    code: "SP4001",
    service,
    address,
    message: `The service accepted the call, but reading again shows that ${what} did not take effect.`,
    hint:
      why ??
      "Someone may have changed it at the same time: plan again. If it persists, the service ignores the field, a cache in front of it is out of date, or this machine's clock is wrong.",
  };
}

/** Returns which fields still differ, or `whole` if none can be named, and what is known about the reason. */
function differenceIn({ change, note }: Extract<Decision, { readonly is: "change" }>, whole: string) {
  const fields = "fields" in change ? change.fields.map(({ path }) => path.join(".")) : [];
  return { what: fields.join(", ") || whole, why: change.action === "check" ? change.instruction : note };
}
