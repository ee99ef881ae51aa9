import { rolesOf } from "../core/kind.ts";
import { once } from "../core/once.ts";
import type { Problem, Wrong } from "../core/problem.ts";
import { type Address, formatAddress, type Resource } from "../core/resource.ts";
import type { Basis, Trusted, UnknownResource } from "../core/run/plan.ts";
import { oneServer, type Service } from "../core/service.ts";
import { sinkFiles } from "../core/sink.ts";
import { quote } from "../core/text/words.ts";
import { undeliveredIn, undeliveredOf } from "../engine/journal/journal.ts";
import { linesOnSecrets } from "../engine/journal/journal-file.ts";
import { damageIn } from "../engine/journal/past-runs.ts";
import { loadBase } from "../engine/load-workspace.ts";
import type { Looked } from "../engine/observe/look.ts";
import type { Connections } from "../engine/sessions.ts";
import type { Recording } from "../manifests/sources/applied-ref.ts";
import { digestedOnce } from "../manifests/sources/files.ts";
import { watchedFiles } from "../manifests/sources/watched-files.ts";
import type { Judge, Judged } from "../manifests/trust/judge.ts";
import type { Workspace } from "../manifests/workspace/read-workspace.ts";
import { collect } from "../manifests/yaml/source-text.ts";
import { emptySelections, reaches, type Selectable, type Selection, selects } from "../planner/selection.ts";
import { asOf, type Declarations } from "../planner/subjects.ts";
import { kinds } from "../reconcilers/registry.ts";
import { prepareRecord } from "./record.ts";
import type { Road } from "./road.ts";
import type { PlanOptions } from "./types.ts";

/** The selection of a run, and the lists that it has to read. */
export function selectionOf({ service = [], kind = [], only = [], label = [] }: Pick<PlanOptions, keyof Selection>) {
  const selection: Selection = { service, kind, only, label };
  // What is left out still counts as declared, but only among the resources of its own service.
  const some = reaches({ ...selection, label: [] });
  const repeats = ({ name, role }: Service) =>
    [...kinds.values()].some((one) => rolesOf(one).includes(role) && some(name, one.kind));
  return { selection, repeats, reaches: reaches(selection) };
}

/** What the manifests declare, with the workspace whose rules they are judged by. */
interface Declared {
  readonly is: "declared";
  readonly stated: Declarations;
  /** The declared resources, regardless of their dates. */
  readonly undated: readonly Resource[];
  readonly workspace: Workspace;
  /** The workspace at the base, if there is one. */
  readonly formerly: Workspace | undefined;
  /** What the base declares on services that are no longer in the workspace. */
  readonly orphans: readonly Address[];
  /** The base, if a repository knows it. */
  readonly basis: Basis | undefined;
  /** Where the apply will be recorded, if it was asked for. */
  readonly recording: Recording | undefined;
  /** Damage to the journals of this machine, and what of the manifests fits nothing. */
  readonly warnings: readonly Problem[];
  /** The rules to judge by, if not those of the workspace. */
  readonly judged: Pick<Judged, "trusted" | "guards">;
  /** Selected resources that the trusted rules cannot judge. */
  readonly unjudged: readonly UnknownResource[];
  /** Selected addresses that only undeclared objects of exclusive kinds can have. */
  readonly sought: readonly string[];
}

/**
 * Reads what the manifests declare now and declared at a base, and the lists that documents are repeated over, through
 * connections that cannot write. The moment defaults to now, and the rules to the workspace's own.
 */
export async function declare(
  { reading, judge: ownJudge, files: given, filesAt, repository, basisOf, runs, now, requireOwnRuns }: Road,
  { readLiveList }: Connections,
  { base, record, affected = false, ...selected }: Pick<PlanOptions, "base" | "record" | "affected" | keyof Selection>,
  isDrift: boolean,
  { at, judge = ownJudge }: { readonly at?: Date | undefined; readonly judge?: Judge | undefined } = {},
): Promise<Declared | Wrong> {
  // Files are compared with a commit only to record the apply.
  const watched = record === undefined ? undefined : watchedFiles(given);
  const { selection, repeats } = selectionOf(selected);
  const read = await collect(() => judge.lists({ readLiveList, repeats }));
  if (read.result === undefined) return { is: "wrong", problems: read.problems };
  // What depends on a changed file is affected even if the file itself is not selected.
  const how = { ...read.result, digests: affected ? () => true : selects(selection) };
  const before = base === undefined ? undefined : await loadBase(reading, base, filesAt, how);
  const former = before?.resources ?? [];
  const head = await judge.load({
    ...reading,
    ...how,
    source: digestedOnce(watched ?? given),
    // Files that are not applied need not be in the commit.
    besides: given,
    emptied: before?.matched ?? new Set(),
    sinks: sinkFiles(former.map(({ spec }) => spec)),
  });
  const known = [...head.resources, ...head.unjudged, ...former];
  const isSelected = selects(selection, known);
  const mistakes = mistakesIn(head.problems, before);
  const { workspace, trusted } = head;
  const sought = soughtIn(selection.only, known, workspace);
  // A document with an error is not among the resources, so a selection that names it would seem to match nothing.
  const problems = mistakes.length > 0 ? mistakes : emptySelections(selection, known, (only) => sought.includes(only));
  if (problems.length > 0 || workspace === undefined)
    return { is: "wrong", problems, ...(workspace && { shown: workspace.limits.errors }) };
  const prepared =
    record === undefined || watched === undefined
      ? undefined
      : await prepareRecord(record, selection, before?.commit, watched, { filesAt, repository });
  if (prepared?.is === "wrong") return prepared;
  const names = workspace.services.map(({ name }) => name);
  const left = former.filter((one) => !names.includes(one.service) && isSelected(one));
  const isMoved = movesTo(head.resources, workspace.services);
  await requireOwnRuns();
  const [moment, past] = [at ?? now(), runs.past(linesOnSecrets)];
  return {
    is: "declared",
    workspace,
    undated: head.resources,
    formerly: before?.workspace,
    warnings: [...damageIn(past), ...head.warnings],
    judged: head,
    unjudged: trusted === undefined ? [] : unjudgedIn(head, isSelected, reaches(selection), trusted),
    basis: base === undefined ? undefined : await basisOf(base, before?.commit),
    recording: prepared?.recording,
    sought,
    orphans: left.flatMap(({ address, metadata }) => (metadata.state === "present" ? [address] : [])),
    stated: {
      kinds,
      desired: asOf(head.resources, kinds, moment),
      base:
        before?.resources.filter((one) => names.includes(one.service) && !isMoved(one)) ??
        (isDrift ? head.resources : undefined),
      selected: isSelected,
      now: moment,
      undelivered: undeliveredOf(undeliveredIn(past), workspace.services),
    },
  };
}

/** Nobody can correct a commit, so its errors come after those of the manifests, which are often the same. */
function mistakesIn(own: readonly Problem[], base: Awaited<ReturnType<typeof loadBase>> | undefined) {
  return base === undefined || (own.length > 0 && base.commit !== undefined) ? own : [...own, ...base.problems];
}

/** Returns whether another service of the same server declares a resource's object now. */
function movesTo(resources: readonly Resource[], services: readonly Service[]): (resource: Resource) => boolean {
  const servers = oneServer(services);
  const declared = once(() => new Set(resources.map(({ address }) => address)));
  return ({ service, kind, key }) =>
    servers.get(service)?.some((name) => name !== service && declared().has(formatAddress(name, kind, key))) === true &&
    kinds.get(kind)?.ofAccount !== true;
}

function unjudgedIn(
  { unjudged: resources, unrepeated }: Pick<Judged, "unjudged" | "unrepeated">,
  isSelected: ReturnType<typeof selects>,
  isReached: ReturnType<typeof reaches>,
  trusted: Trusted,
): readonly UnknownResource[] {
  const repeated = unrepeated.filter(({ service, kind }) => isReached(service, kind));
  return [
    ...resources.filter(isSelected),
    ...repeated.map((one) => ({ ...one, address: `${one.service}/${one.kind}/*` })),
  ].map(({ address, service, place }) => {
    const message = `The rules at ${trusted.ref} have no service ${quote(service)} of this type, so nothing was asked of it.`;
    const hint = "Merge the service first; a plan can look at it then.";
    return { address, service, problem: { code: "SP1023", service, address, message, hint, place } };
  });
}

/** Returns the selected addresses that only undeclared objects of exclusive kinds can have. */
function soughtIn(
  addresses: readonly string[],
  known: readonly Selectable[],
  { services, exclusive }: Pick<Workspace, "services" | "exclusive"> = { services: [], exclusive: [] },
): readonly string[] {
  return addresses.filter((text) => {
    const only = { service: [], kind: [], label: [], only: [text] };
    const isReached = reaches(only);
    const isExclusive = exclusive.some(({ kind, service }) =>
      services.some(({ name }) => (service ?? name) === name && isReached(name, kind)),
    );
    return isExclusive && !known.some(selects(only, known));
  });
}

/** Returns a problem for each address that undeclared objects might have had, and have not. A list that was not read proves nothing. */
export function soughtInVain(
  { sought }: Pick<Declared, "sought">,
  { declarations, unlisted = [], part }: Pick<Looked, "declarations"> & Partial<Pick<Looked, "unlisted" | "part">>,
): readonly Problem[] {
  if (sought.length === 0 || unlisted.length > 0 || part !== undefined) return [];
  return emptySelections({ service: [], kind: [], label: [], only: sought }, declarations.desired);
}
