import { operationsOf } from "../clients/find-service.ts";
import { hasOnly, type Problem, ProblemError, type Wrong } from "../core/problem.ts";
import type { Plan, Trusted } from "../core/run/plan.ts";
import type { Service } from "../core/service.ts";
import { Duration, milliseconds } from "../core/text/duration.ts";
import { refusalOf } from "../core/text/issues.ts";
import { defined } from "../core/text/json.ts";
import { quote, shortCommit } from "../core/text/words.ts";
import { lookAgain } from "../engine/apply/resume.ts";
import { realFolder } from "../engine/load-workspace.ts";
import { measuredIn } from "../engine/observe/look.ts";
import type { Connections } from "../engine/sessions.ts";
import { baseRefOf } from "../manifests/sources/git-ref.ts";
import type { Workspace } from "../manifests/workspace/read-workspace.ts";
import { withForecast } from "../planner/forecast.ts";
import { makePlan } from "../planner/make-plan.ts";
import { agree, withoutDone } from "../planner/saved/agreement.ts";
import { manifestProblems, manifestsOf } from "../planner/saved/manifests.ts";
import { readSavedPlan, savedPlan } from "../planner/saved/plan-file.ts";
import { declare } from "./declare.ts";
import { withWarnings } from "./plan.ts";
import type { Road } from "./road.ts";
import type { Planned, ResumeOptions, SaveOptions } from "./types.ts";

/** Makes the saved form of a plan: what was seen, the manifests it was made from, and when it expires. */
export async function save(
  { plan, made, looked }: Planned,
  { expires = "24h" }: SaveOptions,
  { folder, repository }: Road,
): Promise<Plan> {
  const refusal = refusalOf(Duration, expires);
  if (refusal !== undefined)
    throw new ProblemError({ code: "SP5001", message: `The plan cannot expire after ${quote(expires)}. ${refusal}` });
  if (made === undefined)
    throw new ProblemError({ code: "SP5001", message: "Only a plan of all the manifests can be saved." });
  const { stated, workspace, selection } = made;
  const place = { folder: realFolder(folder), commit: await commitIfAny(repository, "HEAD") };
  return savedPlan(withForecast(plan, looked.decided, looked.measured, { readsAgain: true }), {
    expires: new Date(stated.now.getTime() + milliseconds(expires)),
    manifests: manifestsOf({ resources: stated.desired, rules: rulesOf(workspace, plan.trusted), ...place }),
    selection,
    baseCommit: plan.basis?.commit,
    folder: place.folder,
  });
}

/**
 * Takes up a saved plan: reads its manifests, reads again what it changes, and makes it again from both. Calls about what has
 * changed on the services since are withheld; any other difference refuses the whole plan.
 */
export async function resume(
  text: string,
  { noExec = false, record }: ResumeOptions,
  connections: Connections,
  road: Road,
): Promise<Planned | Wrong> {
  const { folder, repository, now, judgeBy, env, locks } = road;
  const read = readSavedPlan(text, now());
  if (read.is === "wrong") return read;
  const { plan, saved } = read;
  const { trusted } = plan;
  const untrusted = await otherTrust(trusted, road);
  if (untrusted !== undefined) return { is: "wrong", problems: [untrusted] };
  const was = saved.baseCommit;
  if (record !== undefined && was !== undefined && plan.base !== undefined && baseRefOf(plan.base) === record) {
    const commit = await commitIfAny(repository, record);
    // A job that runs again finds what it has recorded itself.
    if (commit !== undefined && commit !== was && commit !== saved.manifests.commit)
      return { is: "wrong", problems: [recordedSince(record, was, commit)] };
  }
  // A branch moves, but the reviewed plan was judged by the rules of one commit.
  const judge = trusted && judgeBy(trusted.commit ?? trusted.ref);
  const asked = { base: saved.baseCommit ?? plan.base, record, ...saved.selection };
  const declared = await declare(road, connections, asked, false, { at: new Date(plan.about.at), judge });
  if (declared.is === "wrong") return declared;
  const { stated, workspace, orphans, judged, recording } = declared;
  const wrong = (problems: Wrong["problems"]): Wrong => ({ is: "wrong", problems });
  const place = { folder: realFolder(folder), commit: await commitIfAny(repository, "HEAD") };
  const manifests = manifestsOf({ resources: stated.desired, rules: rulesOf(workspace, trusted), ...place });
  const others = manifestProblems(saved.manifests, manifests, stated.desired);
  if (others.length > 0) return wrong(others);

  const { services, exclusive } = workspace;
  // Before anything is read, so that an apply sees whether another run has written since.
  const lastRuns = locks.lastRuns(services);
  const { sessions, readers } = await connections.open(services);
  const { declarations, judgeMoved, isApplied } = await lookAgain(plan, stated, { services, exclusive, readers });
  const unseen = { undeclared: new Map(), unlisted: [], unmanaged: undefined };
  const input = {
    ...declarations,
    ...unseen,
    services: plan.services,
    about: plan.about,
    baseRef: plan.base,
    trusted: judged.trusted,
    // Only part of the live state was read again. The share of deletions was judged when the plan was made.
    guards: { ...workspace.guards, maxDeletePercent: 100, noDeletes: false, noExec },
    consent: plan.consented ?? {},
    orphans,
    onApplied: workspace.onApplied,
    offeredBy: offersOf(workspace),
  };
  const attempt = (countsDone: boolean) => {
    const { decided, held, done } = judgeMoved(countsDone);
    const again = makePlan({ ...input, decided });
    if (again.is === "wrong") return again;
    if (again.plan.refusals.length > 0) return wrong(again.plan.refusals);
    const looked = new Set(decided.map(({ address }) => address));
    const agreed = agree({ saved: plan, again: again.plan, looked, held, done, folder: place.folder });
    return agreed.is === "wrong" ? agreed : { ...agreed, decided };
  };
  const first = attempt(true);
  // What is done can change the calls of the rest, which are then held back like anything beside what has moved.
  const agreed = first.is === "wrong" ? attempt(false) : first;
  if (agreed.is === "wrong") return wrong(agreed.problems);
  const { decided } = agreed;
  const reads = plan.services.map((one) => ({ ...one, reads: sessions.get(one.name)?.requests.reads ?? 0 }));
  const { plan: left, withheld } = isApplied ? nothingLeft(plan, reads) : agreed;
  const measured = measuredIn(sessions);
  return {
    is: "planned",
    plan: withWarnings(withForecast(left, decided, measured, { withheld }), declared.warnings, services, env),
    withheld,
    looked: { declarations, decided, ...unseen, services, reads, measured },
    lastRuns,
    recording,
  };
}

/**
 * What is left of a plan once everything that it changes is already as planned: what needs a person, and what is unknown.
 * Resources that were in sync were not read again.
 */
function nothingLeft({ triggers: _sent, ...saved }: Plan, services: Plan["services"]) {
  const done = saved.changes.flatMap(({ action, address }) => (action === "check" ? [] : [address]));
  const left = withoutDone({ ...saved, inSync: [] }, new Set(done));
  const plan: Plan = { ...left, services, forecast: { writes: {}, verifyScopes: 0 } };
  return { plan, withheld: new Map<number, Problem>() };
}

/** The problem SP2004: another apply was recorded after the plan was made. */
function recordedSince(ref: string, was: string, now: string): Problem {
  return {
    code: "SP2004",
    message: `Another apply was recorded since: ${ref} names ${shortCommit(now)}, but the plan was compared with ${shortCommit(was)}.`,
    hint: "Plan again and review that plan.",
  };
}

/** The problem SP2004: the plan was not judged by the rules at the ref that the workspace was opened with. */
async function otherTrust(
  trusted: Trusted | undefined,
  { trust, filesAt }: Pick<Road, "trust" | "filesAt">,
): Promise<Problem | undefined> {
  if (trust === undefined) return undefined;
  const { commit } = await filesAt(trust);
  if (trusted !== undefined && trusted.commit === commit) return undefined;
  const of =
    trusted === undefined ? "its workspace's own" : `those at ${trusted.ref}, ${trusted.commit ?? "no commit"}`;
  return {
    code: "SP2004",
    message: `The rules that the plan was judged by are ${of}, not those at ${trust}, ${commit ?? "no commit"}.`,
    hint: `Plan again with --trust ${trust} and review that plan.`,
  };
}

/** The commit that a ref names; undefined outside a repository, where only the manifests' digest identifies them. */
export async function commitIfAny(repository: Road["repository"], ref: string): Promise<string | undefined> {
  try {
    return await (await repository()).commitOf(ref);
  } catch (error) {
    if (hasOnly(error, "SP5002")) return undefined;
    throw error;
  }
}

/** What a workspace adds to its manifests: its services, its guards, its exclusive and onApplied rules, and the trusted ref. */
export function rulesOf(
  { services, guards, exclusive, onApplied }: Workspace,
  trusted: Trusted | undefined,
): Readonly<Record<string, unknown>> {
  return {
    ...defined({ trusted: trusted && (trusted.commit ?? trusted.ref) }),
    services: services.map(identityOf),
    guards,
    exclusive: exclusive.map(({ place: _place, ...rule }) => rule),
    onApplied: onApplied.map(({ place: _place, ...trigger }) => trigger),
  };
}

/** What identifies a service: everything but its limits. */
export function identityOf({ name, role, type, url, urls, wire }: Service) {
  return { name, role, type, url, urls, wire };
}

/** The operations of each service of a workspace. */
export function offersOf({ services }: Workspace) {
  const offers = new Map(services.map(({ name, role, wire }) => [name, { table: operationsOf(role), wire }]));
  return (name: string) => {
    const offered = offers.get(name);
    if (offered === undefined) throw new Error(`No service ${name} is in the workspace.`);
    return offered;
  };
}
