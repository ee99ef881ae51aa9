import { rolesOf } from "../core/kind.ts";
import type { Problem } from "../core/problem.ts";
import { canonicalJson, defined, sameJson } from "../core/text/json.ts";
import type { Exclusive, Workspace } from "../manifests/workspace/read-workspace.ts";
import { kindOf } from "../planner/guards.ts";
import { changedSince } from "../planner/parts/affected.ts";
import type { PartRequest } from "../planner/parts/part.ts";
import { shardOfName } from "../planner/parts/shards.ts";
import { digestOf } from "../planner/saved/manifests.ts";
import { isNarrowed } from "../planner/selection.ts";
import type { Declarations } from "../planner/subjects.ts";
import type { Road } from "./road.ts";
import { commitIfAny, identityOf, rulesOf } from "./saved.ts";
import type { Made, PlanOptions } from "./types.ts";

/** Which kinds' live objects a run may list. */
type Reaches = (service: string, kind: string) => boolean;

/** The problems SP5001 of a part whose options contradict each other. */
export function partProblems(
  { affected = false, shard, base, record }: PlanOptions,
  { isDrift, trust }: { readonly isDrift: boolean; readonly trust: string | undefined },
): readonly Problem[] {
  const problems: Problem[] = [];
  const refuse = (message: string, hint: string) => problems.push({ code: "SP5001", message, hint });
  if (affected && isDrift)
    refuse("Drift is what changed without a manifest, so --affected leaves nothing to look at.", "Use plan.");
  if (affected && base === undefined && !isDrift)
    refuse("--affected needs a base that the manifests changed since.", "Pass --base too.");
  if (affected && shard !== undefined)
    refuse("--affected and --shard cannot be combined.", "A change affects few resources: one run is enough.");
  if (shard !== undefined && !(Number.isInteger(shard.index) && 1 <= shard.index && shard.index <= shard.of))
    refuse(`There is no shard ${shard.index} of ${shard.of}.`, "Shards are counted from 1.");
  if (shard !== undefined && trust !== undefined)
    refuse("A shard is judged by the workspace's own rules, so it cannot be combined with --trust.", "Use --affected.");
  if ((affected || shard !== undefined) && record !== undefined)
    refuse("--record needs an apply of everything.", "Leave --record out.");
  return problems;
}

/** What a run was asked to look at, and what is declared. */
interface Asked extends Made {
  readonly options: PlanOptions;
  readonly isDrift: boolean;
  readonly reaches: Reaches;
  /** The declared resources regardless of their dates, because the shards of one run can be made on two days. */
  readonly undated: Declarations["desired"];
  /** The workspace at the base; undefined if there was none. */
  readonly formerly: Workspace | undefined;
  readonly folder: string;
  readonly repository: Road["repository"];
}

/** The part that a run looks at, and the lists that it reads for it. `part` is undefined if the run looks at everything. */
export async function requestedPart(
  asked: Asked,
): Promise<{ readonly part: PartRequest | undefined; readonly reaches: Reaches }> {
  const { options, reaches, stated, workspace, formerly } = asked;
  if (options.affected === true) {
    const changed = changedSince(stated);
    const services = new Set([...changed].map((address) => address.split("/", 1)[0]));
    const { isTouched, rules } = touchedRules(workspace, formerly, stated);
    return {
      part: { is: "affected", changed, isTouched, rules },
      reaches: (service, kind) => reaches(service, kind) && (services.has(service) || isTouched(service, kind)),
    };
  }
  const { shard } = options;
  if (shard === undefined) return { part: undefined, reaches };
  const isOwn: Reaches = (service, kind) =>
    shardOfName(kindOf({ service, kind }), shard.of) === shard.index ||
    // Objects that an exclusive rule would delete are divided among the shards too, so every shard has to know them.
    workspace.exclusive.some((rule) => rule.kind === kind && (rule.service ?? service) === service);
  return {
    part: { is: "shard", ...shard, ...(await agreedOn(asked)) },
    reaches: (service, kind) => reaches(service, kind) && isOwn(service, kind),
  };
}

/** What all shards of a run have in common. */
async function agreedOn({ options, isDrift, selection, stated, undated, workspace, folder, repository }: Asked) {
  const { unmanaged = false, noDeletes = false, consent = {} } = options;
  const commit = await commitIfAny(repository, "HEAD");
  const rules = { ...rulesOf(workspace, undefined), isDrift, unmanaged, noDeletes, consent, selection };
  return {
    digest: digestOf({ ...stated, desired: undated }, rules, folder),
    ...defined({ commit }),
    services: workspace.services.map(({ name, role, url }) => ({ name, role, url })),
    narrowed: isNarrowed(selection),
  };
}

/** The services and exclusive rules that the workspace file changed since the base. */
function touchedRules(
  now: Workspace,
  before: Workspace | undefined,
  { kinds }: Declarations,
): { readonly isTouched: Reaches; readonly rules: readonly string[] } {
  const former = new Map(before?.services.map((service) => [service.name, identityOf(service)]));
  const services = now.services.filter((service) => !sameJson(identityOf(service), former.get(service.name)));
  const names = new Set(services.map(({ name }) => name));
  const said = (exclusive: readonly Exclusive[], service: string, kind: string) =>
    canonicalJson(
      exclusive
        .filter((rule) => rule.kind === kind && (rule.service ?? service) === service)
        .map(({ except }) => except),
    );
  const lists = now.services
    .filter(({ name }) => !names.has(name))
    .flatMap(({ name, role }) =>
      [...kinds.values()]
        .filter((kind) => rolesOf(kind).includes(role))
        .filter(({ kind }) => said(now.exclusive, name, kind) !== said(before?.exclusive ?? [], name, kind))
        .map(({ kind }) => kindOf({ service: name, kind })),
    );
  const touched = new Set(lists);
  return {
    isTouched: (service, kind) => names.has(service) || touched.has(kindOf({ service, kind })),
    rules: [...names, ...lists],
  };
}
