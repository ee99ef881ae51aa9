import type { Problem } from "../../core/problem.ts";
import type { Address } from "../../core/resource.ts";
import type { Plan, PlannedChange, UnknownResource } from "../../core/run/plan.ts";
import { spreadUnknown } from "../../planner/dependencies.ts";
import { kindOf } from "../../planner/guards.ts";
import { type Decided, type Declarations, subjectsOf } from "../../planner/subjects.ts";
import { withUnwanted } from "../observe/look.ts";
import { observeSubjects, scopeReader } from "../observe/observe.ts";
import { type Listing, listUndeclared } from "../observe/undeclared.ts";
import { moved, whyHeld } from "./verify.ts";

/** The current state of what a saved plan changes. */
export interface LookedAgain {
  /** The declarations, including undeclared objects that the plan deletes. */
  readonly declarations: Declarations;
  /** Judges what was read again, and counts what is already as planned as done, or as moved. */
  judgeMoved(countsDone: boolean): Judged;
  /** Whether everything that the plan changes is already as planned: someone has applied it. */
  readonly isApplied: boolean;
}

interface Judged {
  /** Everything that was read again. A resource that cannot be changed is unknown. */
  readonly decided: readonly Decided[];
  /** Changes of the plan that are held back, and why. */
  readonly held: ReadonlyMap<Address, Problem>;
  /** Changes of the plan that are already made. */
  readonly done: ReadonlySet<Address>;
}

/**
 * Reads again the remote objects that a saved plan changes, and no others. A resource that has moved or can no longer be read
 * is held back, with everything on the same remote object and everything that depends on it.
 */
export async function lookAgain(
  plan: Plan,
  stated: Declarations,
  where: Pick<Listing, "services" | "exclusive" | "readers">,
): Promise<LookedAgain> {
  const { declarations, unlisted } = await withListed(plan, stated, where);
  const subjects = subjectsOf(declarations);
  const laneAt = new Map(subjects.map((subject) => [subject.address, subject.lane]));
  // What needs a person depends on nothing, and what else a change needs is a change with calls, too.
  const wanted = plan.changes.flatMap(({ address, action, dependsOn }) =>
    action === "check" ? [] : [address, ...dependsOn],
  );
  const lanes = new Set(wanted.flatMap((address) => laneAt.get(address) ?? []));
  const touched = subjects.filter((subject) => lanes.has(subject.lane));
  const decided = await observeSubjects(declarations, touched, scopeReader(where.readers));
  const whyUnlisted = (address: Address) =>
    unlisted.find((one) =>
      one.address.endsWith("*") ? address.startsWith(one.address.slice(0, -1)) : address === one.address,
    )?.problem;
  const found = new Map(decided.map(({ address, decision }) => [address, decision.is]));
  const isGone = ({ address, action }: PlannedChange) =>
    action === "delete" && !laneAt.has(address) && whyUnlisted(address) === undefined;
  const planned = plan.changes.filter(({ action }) => action !== "check");
  const made = planned.filter((one) => found.get(one.address) === "in sync" || isGone(one));
  const hint = `Already made, as by an apply that was cut off: ${made.length} of ${planned.length} changes. Plan again for the rest.`;
  const other = made.length === 0 ? moved : { ...moved, hint };
  const whyMoved = whyHeld(plan, decided, other);
  const begun = new Set(made.map(({ address }) => laneAt.get(address)));
  // What is still absent is as it was. Of anything else beside what is done, nothing shows whether it has moved.
  const isSettled = ({ decision, observation }: Decided) => decision.is === "in sync" || observation.is === "absent";
  const unsettled = new Set(decided.filter((one) => !isSettled(one)).map(({ lane }) => lane));
  // What needs a person is read again beside what calls change, and no longer is as the plan says if its remote object has moved.
  const isBeside = ({ address }: PlannedChange) => lanes.has(laneAt.get(address) ?? "");
  const shown = plan.changes.filter(isBeside).map(({ address }) => address);
  const before = new Map(plan.unknown.map(({ address, problem }) => [address, problem]));
  function judgeMoved(countsDone: boolean): Judged {
    const isDone = (lane: string) => countsDone && begun.has(lane) && !unsettled.has(lane);
    const reasonAgainst = (lane: string) => (isDone(lane) ? undefined : whyMoved(lane));
    const finished = new Set(countsDone ? made.map(({ address }) => address) : []);
    const stale = [...new Set([...wanted, ...shown])].flatMap((address) => {
      const lane = laneAt.get(address);
      const reason = lane === undefined ? (whyUnlisted(address) ?? other) : reasonAgainst(lane);
      return reason === undefined || finished.has(address) ? [] : [[address, reason] as const];
    });
    const without = (held: ReadonlyMap<Address, Problem>) =>
      decided.map((subject): Decided => {
        const { address, lane } = subject;
        const against = finished.has(address) ? undefined : reasonAgainst(lane);
        const reason = held.get(address) ?? before.get(address) ?? against;
        return reason === undefined ? subject : { ...subject, decision: { is: "unknown", problem: reason } };
      });
    const held = spreadHeld(plan, declarations, stale, without);
    const done = [...finished].filter((address) => !held.has(address));
    return { held, decided: without(held), done: new Set(done) };
  }
  return { declarations, judgeMoved, isApplied: made.length > 0 && made.length === planned.length };
}

/** Returns the changes to hold back: also those that need what is in sync beside what has moved, and so is unknown. */
function spreadHeld(
  plan: Plan,
  declarations: Declarations,
  stale: readonly (readonly [Address, Problem])[],
  without: (held: ReadonlyMap<Address, Problem>) => readonly Decided[],
): ReadonlyMap<Address, Problem> {
  const held = heldBack(plan, stale);
  const planned = new Set(plan.changes.map(({ address }) => address));
  const spread = spreadUnknown(declarations, { decided: without(held), undeclared: new Map() });
  const more = spread.flatMap(({ address, decision }) =>
    decision.is === "unknown" && planned.has(address) && !held.has(address)
      ? [[address, decision.problem] as const]
      : [],
  );
  return more.length === 0 ? held : spreadHeld(plan, declarations, [...held, ...more], without);
}

/** Returns the declarations with the undeclared objects of exclusive kinds that the plan saw, listed again if possible. */
async function withListed(
  plan: Plan,
  stated: Declarations,
  where: Parameters<typeof lookAgain>[2],
): Promise<{ readonly declarations: Declarations; readonly unlisted: readonly UnknownResource[] }> {
  const declared = new Set([...stated.desired, ...(stated.base ?? [])].map(({ address }) => address));
  const seen = [...plan.changes, ...plan.unknown].map(({ address }) => address).concat(plan.inSync);
  const groups = new Set(
    seen.filter((address) => !declared.has(address)).map((address) => address.split("/", 2).join("/")),
  );
  const { unwanted, unlisted } = await listUndeclared({
    ...stated,
    ...where,
    unmanaged: false,
    reaches: (service, kind) => groups.has(kindOf({ service, kind })),
  });
  return { declarations: withUnwanted(stated, unwanted), unlisted };
}

/** Returns the changes to hold back because of stale resources, each with the reason. */
function heldBack(plan: Plan, stale: readonly (readonly [Address, Problem])[]): ReadonlyMap<Address, Problem> {
  const held = new Map<Address, Problem>(stale.map(([address, reason]) => [address, { ...reason, address }]));
  const needs = plan.changes.flatMap(({ address, dependsOn }) => dependsOn.map((needed) => ({ needed, address })));
  const dependants = Map.groupBy(needs, ({ needed }) => needed);
  // The map grows during the loop.
  for (const [blocker] of held)
    for (const { address } of dependants.get(blocker) ?? [])
      if (!held.has(address))
        held.set(address, { code: "SP4002", address, message: `It needs ${blocker}, which was not applied.` });
  return held;
}
