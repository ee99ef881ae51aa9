import { withParts } from "../../src/core/call.ts";
import { ProblemError } from "../../src/core/problem.ts";
import type { Report } from "../../src/core/run/outcome.ts";
import type { Plan } from "../../src/core/run/plan.ts";
import { liveTokens } from "../support/tokens.ts";
import { changed, place } from "./flat.ts";
import type { Machine } from "./machine.ts";
import { callName, type Ending } from "./program.ts";
import type { Situation } from "./situation.ts";
import type { Arrival, Universe } from "./universe.ts";

/** The laws, with the words in which they are reported. */
export const laws = {
  converges: "It converges once faults stop.",
  untouched: "Nothing unnamed is touched.",
  once: "No call takes effect twice.",
  tokens: "No token is lost or left over.",
  true: "Every outcome reported is true.",
  ends: "Every run ends with a report, a problem or a kill.",
} as const;

/** A law that was broken. */
export interface Breach {
  readonly law: keyof typeof laws;
  readonly what: string;
}

/** Checks that a run ended with a report, with problems, or with a kill. */
export function endsLaw(ending: Ending): readonly Breach[] {
  if (ending.is !== "refused" || ending.error instanceof ProblemError) return [];
  const { error } = ending;
  return [{ law: "ends", what: error instanceof Error ? (error.stack ?? error.message) : String(error) }];
}

/** Checks that a run that ended without a report, of which the command line says "Nothing was done.", sent no write. */
export function unsentLaw(arrivals: readonly Arrival[], run: string, ending: Ending): readonly Breach[] {
  if (ending.is !== "refused") return [];
  const own = arrivals.filter((arrival) => arrival.run === run);
  return own.map(({ record }) => ({ law: "true", what: `nothing was done, but ${record.operation} was sent` }));
}

/** Checks that everything that changed in the world, other than by the stranger, belongs to what manifests name. */
export function untouchedLaw({ world, untouched }: Universe, { own }: Situation): readonly Breach[] {
  return [...changed(untouched, world)]
    .filter((path) => !isOwn(path, own))
    .map((path): Breach => ({ law: "untouched", what: path }));
}

/** Whether a path is one that an apply changes, or one above it, or a path of noise. */
function isOwn(path: string, own: ReadonlySet<string>): boolean {
  const at = place(path);
  return own.has(at) || [...own].some((one) => one.startsWith(`${at}/`)) || noise.some((pattern) => pattern.test(path));
}

/** Paths that grow with each write, and paths to which both the stranger and setpoint add. */
const noise: readonly RegExp[] = [
  /^\/wiki\/pages\/[^/]*\/versions\//,
  /^\/review\/projects\/.*\/commits\//,
  // Two writers that install one plugin concurrently leave a copy for the next start.
  /^\/ci\/plugins\/[^/]*\/upgrade$/,
  // A restart discards the properties that were set while the server ran.
  /^\/ci\/setProperties(\/|$)/,
  /^\/ci\/(starts|starting|nextQueueId|restartPending)$/,
  /^\/ci\/jobs\/firmware\/release\/builds/,
];

/**
 * Checks that a call takes effect at most once, however often its request is sent, and at most as often in a run as it is
 * in the plan. Requests that the network itself delivers again do not count.
 */
export function onceLaw(arrivals: readonly Arrival[], run: string, plan: Plan | undefined): readonly Breach[] {
  const own = arrivals.filter((arrival) => arrival.run === run && arrival.hasEffect && !arrival.isCopy);
  const planned = withParts(plan?.calls ?? []);
  const sent = Map.groupBy(own, ({ call, request }) => `${call?.number} ${call?.name} ${request}`);
  const again = [...sent].filter(([, same]) => same.length > 1).map(([name]) => name);
  const more = planned.flatMap((call) => {
    const name = callName(call.service, call.operation, call.args);
    const limit = planned.filter((other) => callName(other.service, other.operation, other.args) === name).length;
    const took = own.filter((arrival) => arrival.call?.name === name && arrival.record.operation === call.operation);
    return took.length > limit ? [name] : [];
  });
  return [...new Set([...again, ...more])].map((what): Breach => ({ law: "once", what }));
}

function plannedNames(plan: Plan | undefined): readonly string[] {
  return withParts(plan?.calls ?? []).map(({ service, operation, args }) => callName(service, operation, args));
}

/** Checks that each sink holds the only live token of its description, and that no revoked token is live. */
export function tokensLaw({ world }: Universe, { vault }: Machine, { kept, revoked }: Situation): readonly Breach[] {
  const live = ({ role, description }: Situation["kept"][number]) =>
    liveTokens(world, role, description).filter((token) => token.description.replace(/ \(\d+\)$/, "") === description);
  const lost = kept.flatMap((token): readonly Breach[] => {
    const found = live(token);
    const text = vault.get(token.sink);
    const isHeld = text !== undefined && found[0]?.texts.includes(text);
    if (found.length === 1 && isHeld) return [];
    const names = found.map(({ description }) => description).join(", ");
    return [
      {
        law: "tokens",
        what: `${token.role} ${token.description}: live are [${names}], the sink holds ${isHeld ? "it" : (text ?? "nothing")}`,
      },
    ];
  });
  const left = revoked.flatMap((token): readonly Breach[] =>
    live(token).length === 0 ? [] : [{ law: "tokens", what: `${token.role} ${token.description}: left over` }],
  );
  return [...lost, ...left];
}

/** Codes of problems that claim that a call did nothing. */
const nothingDone: ReadonlySet<string | undefined> = new Set([
  "SP1017",
  "SP3003",
  "SP3004",
  "SP3005",
  "SP3007",
  "SP3008",
  "SP4003",
]);

/** Checks what a report says about calls against what arrived. `isStale`: whether reads can have had stale answers. */
export function reportLaw(
  { arrivals, disturbed }: Universe,
  run: string,
  ending: Ending,
  isStale: boolean,
): readonly Breach[] {
  if (ending.is !== "reported") return [];
  const { plan, report } = ending;
  const byId = new Map(withParts([...plan.calls]).map((call) => [call.id, call]));
  const names = plannedNames(plan);
  const seen = new Set(
    plan.changes.flatMap(({ address, action }) => (action === "delete" || action === "update" ? [address] : [])),
  );
  const failed = new Set(report.outcomes.flatMap(({ address, result }) => (result === "failed" ? [address] : [])));
  const twice = new Set(arrivals.flatMap(({ run: of, isCopy, call }) => (of === run && isCopy ? [call?.name] : [])));
  const isTwice = (id: number) => {
    const call = byId.get(id);
    return call !== undefined && twice.has(callName(call.service, call.operation, call.args));
  };
  // A call that was delivered twice does not leave the desired state either.
  const unfinished = report.calls.flatMap(({ id, result }) =>
    (result === "done" && !isTwice(id)) || result === "divided" ? [] : [id],
  );
  return report.calls.flatMap(({ id, result, problem }): readonly Breach[] => {
    const call = byId.get(id);
    if (call === undefined) return [{ law: "true", what: `an outcome of a call ${id} that the plan lacks` }];
    const name = callName(call.service, call.operation, call.args);
    // Two equal calls cannot be distinguished.
    if (names.filter((other) => other === name).length > 1) return [];
    const own = arrivals.filter(
      (arrival) => arrival.run === run && arrival.call?.name === name && arrival.record.operation === call.operation,
    );
    const hasEffect = own.some((arrival) => arrival.hasEffect);
    // If a call does not find an object that the plan saw, setpoint reads again, and that read decides.
    const isReadAgain = problem?.code === "SP3005" && call.carries.every((address) => seen.has(address));
    const isToldUndone = call.carries.every(
      (address) =>
        failed.has(address) && unfinished.every((other) => other === id || !byId.get(other)?.carries.includes(address)),
    );
    const isLeftOpen = isReadAgain && (isStale || disturbed.has(call.service) || !isToldUndone);
    const isClaimedUndone =
      result === "skipped" || (result === "failed" && nothingDone.has(problem?.code) && !isLeftOpen);
    // A gateway that sends a request twice and passes on the second refusal deceives every client.
    const isDeceived = !isReadAgain && own.some(({ isCopy }) => isCopy);
    if (isClaimedUndone && hasEffect && !isDeceived)
      return [
        {
          law: "true",
          what: `${name} is said to be ${result} (${problem?.code} ${problem?.message}), and took effect`,
        },
      ];
    if (result === "done" && !own.some(({ record }) => record.status < 400))
      return [{ law: "true", what: `${name} is said to be done, and never arrived` }];
    return [];
  });
}

/** Checks that everything that a report says was applied is still applied in the next plan in calm weather. */
export function appliedLaw(ending: Ending, next: Ending, disturbed: ReadonlySet<string>): readonly Breach[] {
  if (ending.is !== "reported" || next.is !== "reported") return [];
  const { changes, unknown } = next.plan;
  const open = new Set(
    [...changes.filter(({ action }) => action !== "check"), ...unknown].map(({ address }) => address),
  );
  return ending.report.outcomes
    .filter(({ address, result }) => result === "applied" && open.has(address))
    .filter(({ address }) => !disturbed.has(serviceOf(address)) && !isReplaced(address, ending.report, next.plan))
    .map(({ address }): Breach => ({ law: "true", what: `${address} is said to be applied, and is not` }));
}

/**
 * Whether a delivered secret is rightly replaced once more: a full disk kept the delivery out of the journal, the report
 * announced the replacement, and the service cannot tell what the sink holds.
 */
function isReplaced(address: string, { problems = [] }: Report, { changes }: Plan): boolean {
  const change = changes.find((one) => one.address === address);
  return (
    serviceOf(address) !== "artifacts" &&
    problems.some(
      ({ code, message }) =>
        code === "SP5004" && message.includes(` ${address}, `) && message.includes(", unless the service confirms"),
    ) &&
    change?.action === "update" &&
    change.fields.every(({ path }) => path.join() === "deliver")
  );
}

function serviceOf(address: string): string {
  return address.split("/")[0] ?? "";
}
