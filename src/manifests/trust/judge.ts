import { type Kind, rolesOf } from "../../core/kind.ts";
import type { ReadLiveList } from "../../core/live-list.ts";
import { onceEach } from "../../core/once.ts";
import { type Problem, ProblemError, problemsOf } from "../../core/problem.ts";
import type { Address, Place, Resource } from "../../core/resource.ts";
import type { Trusted } from "../../core/run/plan.ts";
import type { Service } from "../../core/service.ts";
import { canonicalJson, defined, isObject, sameJson } from "../../core/text/json.ts";
import { inOrder, quote } from "../../core/text/words.ts";
import { type Loaded, type LoadOptions, load, nothingLoaded } from "../load.ts";
import type { PolicyCheck } from "../policies/policies.ts";
import type { FileSource } from "../sources/files.ts";
import { readWorkspace, type Workspace } from "../workspace/read-workspace.ts";
import { byPlace, collect, problemIdentity } from "../yaml/source-text.ts";
import { exclusiveByService } from "./combine.ts";
import { ruleChanges } from "./rule-changes.ts";
import { isTrusted, readTrustedRules, type TrustedRules } from "./trusted-rules.ts";

/** What a workspace declares, judged by the rules of a ref if one is trusted. */
export interface Judged extends Loaded {
  /** How the workspace changes the trusted rules; undefined if no ref is trusted. */
  readonly trusted: Trusted | undefined;
  /** Resources of services that only the workspace has. These services may not be contacted before they are merged. */
  readonly unjudged: readonly Resource[];
  /** Documents of such services that would be repeated over a list. */
  readonly unrepeated: readonly Unrepeated[];
  /** The guards of both, if they differ. */
  readonly guards: { readonly trusted: Workspace["guards"]; readonly own: Workspace["guards"] } | undefined;
}

/** A document that declares nothing, because the list that it is repeated over may not be read. */
export type Unrepeated = Pick<Resource, "service" | "kind" | "place">;

type Lists = Pick<LoadOptions, "readLiveList" | "repeats">;

/** Reads workspaces by the rules that apply. */
export interface Judge {
  /** Like `load`. */
  load(options: LoadOptions): Promise<Judged>;
  /** Returns how lists are read: from trusted services only. */
  lists(lists: Lists): Promise<Lists>;
  /** Returns the services in the trusted rules; undefined if no ref is trusted. Throws `ProblemError`. */
  services(): Promise<readonly Service[] | undefined>;
}

/** Opens a judge; `trust` is the ref whose rules apply. The rules are read once, when they are first needed. */
export function openJudge(
  trust: string | undefined,
  reading: Omit<LoadOptions, "source">,
  filesAt: (ref: string) => Promise<FileSource>,
): Judge {
  const rules = onceEach(async (ref: string) => readTrustedRules(ref, await filesAt(ref), reading));
  return {
    async load(options) {
      if (trust === undefined) return { ...(await load(options)), ...untrusted };
      try {
        return await loadTrusted(options, await rules(trust));
      } catch (error) {
        return { ...nothingLoaded(problemsOf(error)), ...untrusted };
      }
    },
    lists: async (lists) => (trust === undefined ? lists : trustedLists(lists, await rules(trust))),
    services: async () => (trust === undefined ? undefined : (await rules(trust)).workspace.services),
  };
}

const untrusted = { trusted: undefined, unjudged: [], unrepeated: [], guards: undefined } as const;

/** Reads lists only from services as the trusted rules define them. Documents of other services are passed to `tell`. */
function trustedLists(
  { readLiveList, repeats = () => true }: Lists,
  rules: TrustedRules,
  tell: (one: Unrepeated) => void = () => {},
): Lists {
  return {
    ...(readLiveList === undefined
      ? {}
      : { readLiveList: () => trustedReader(readLiveList(rules.workspace.services), rules) }),
    repeats(service, document) {
      if (isTrusted(rules, service)) return repeats(service, document);
      tell({ service: service.name, ...document });
      return false;
    },
  };
}

/** Reads lists of trusted services; throws `ProblemError` SP1023 for any other service. */
function trustedReader(read: ReadLiveList, rules: TrustedRules): ReadLiveList {
  return async (request) => {
    const { service: name, role } = request;
    if (isTrusted(rules, { name, role })) return read(request);
    throw new ProblemError({
      code: "SP1023",
      message: `The rules at ${rules.ref} have no service ${quote(name)} of this type, so it is not contacted.`,
      hint: "Merge the service first, or use the list of another one.",
    });
  };
}

/** Loads the workspace by the trusted rules, and again by its own rules if these differ. */
async function loadTrusted(given: LoadOptions, rules: TrustedRules): Promise<Judged> {
  // Keyed by place, because a file is declared again once its lists are read.
  const unrepeated = new Map<string, Unrepeated>();
  const tell = (one: Unrepeated) => unrepeated.set(canonicalJson(one.place), one);
  const options = { ...given, ...trustedLists(given, rules, tell), limits: rules.parts.limits };
  const { result: own } = await collect((report) => readWorkspace(options, report));
  if (own?.workspace === undefined) return { ...(await load(options)), ...unchanged(rules) };
  const changes = await ruleChanges(options.workspaceFile, own, options.source, rules);
  if (changes.length === 0) return { ...(await load(options)), ...unchanged(rules) };
  const changed = new Set(changes.map(({ file }) => file));
  const checks = changedChecks(rules, own.policies, changed);
  const now = await load({ ...options, trusted: rules });
  const once = await load({ ...options, checks });
  const isJudged = ({ service: name, role }: Resource) => isTrusted(rules, { name, role });
  const judged = now.resources.filter(isJudged);
  const services = now.workspace?.services ?? [];
  const onceMerged = [
    ...resourcesOnceMerged(judged, once.resources.filter(isJudged)),
    ...exclusiveOnceMerged(rules.workspace, own.workspace, services, options.kinds),
  ];
  return {
    ...now,
    resources: judged,
    problems: problemsOfBoth(now.problems, once.problems, rules.ref),
    unjudged: now.resources.filter((resource) => !isJudged(resource)),
    unrepeated: [...unrepeated.values()],
    trusted: { ...at(rules), changes, onceMerged },
    guards: { trusted: rules.workspace.guards, own: own.workspace.guards },
  };
}

function unchanged(rules: TrustedRules): Pick<Judged, "trusted" | "unjudged" | "unrepeated" | "guards"> {
  return { ...untrusted, trusted: { ...at(rules), changes: [], onceMerged: [] } };
}

function at({ ref, commit }: TrustedRules): Pick<Trusted, "ref" | "commit"> {
  return defined({ ref, commit });
}

/** Returns the checks of trusted policies that the workspace changes or omits: they apply to its own values too. */
function changedChecks(
  { policies }: TrustedRules,
  own: TrustedRules["parts"]["policies"],
  changed: ReadonlySet<string>,
): readonly PolicyCheck[] {
  const said = (policy: (typeof own)[number]) => canonicalJson({ ...policy, entry: undefined });
  const kept = new Set(own.map(said));
  return policies
    .filter(({ policy }) => !kept.has(said(policy)) || changed.has(policy.schema))
    .map(({ check }) => check);
}

/** Returns the problems under both sets of rules, each once. A problem under only one set says which. */
function problemsOfBoth(now: readonly Problem[], once: readonly Problem[], ref: string): readonly Problem[] {
  const [known, later] = [now, once].map((all) => new Set(all.map(problemIdentity)));
  const only = (problem: Problem, words: string): Problem => ({ ...problem, message: `${words}: ${problem.message}` });
  return [
    ...now.map((problem) => (later?.has(problemIdentity(problem)) ? problem : only(problem, `By the rules at ${ref}`))),
    ...once.filter((problem) => !known?.has(problemIdentity(problem))).map((problem) => only(problem, "Once merged")),
  ].sort(byPlace);
}

function resourcesOnceMerged(now: readonly Resource[], once: readonly Resource[]): readonly Problem[] {
  const [before, after] = [now, once].map((all) => new Map(all.map((resource) => [resource.address, resource])));
  const addresses = [...new Set([...now, ...once].map(({ address }) => address))].sort(inOrder);
  return addresses.flatMap((address) => {
    const [old, fresh] = [before?.get(address), after?.get(address)];
    if (old !== undefined && fresh === undefined)
      return [resourceProblem(address, old.place, "is no longer declared: a plan with a base would delete it")];
    if (old === undefined && fresh !== undefined) return [resourceProblem(address, fresh.place, "is declared")];
    if (old === undefined || fresh === undefined) return [];
    const fields = differentFields(old, fresh);
    return fields.length === 0 ? [] : [resourceProblem(address, fresh.place, `has other values: ${fields.join(", ")}`)];
  });
}

function resourceProblem(address: Address, place: Place, what: string): Problem {
  return { code: "SP1022", address, message: `Once merged, ${address} ${what}.`, place };
}

function differentFields(a: Resource, b: Resource): readonly string[] {
  const differing = (one: unknown, other: unknown, prefix: string) => {
    const [left, right] = [asObject(one), asObject(other)];
    const names = [...new Set([...Object.keys(left), ...Object.keys(right)])];
    return names.filter((name) => !sameJson(left[name] ?? null, right[name] ?? null)).map((name) => `${prefix}${name}`);
  };
  if (canonicalJson([a.spec, a.metadata]) === canonicalJson([b.spec, b.metadata])) return [];
  return [...differing(a.spec, b.spec, ""), ...differing(a.metadata, b.metadata, "metadata.")];
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

/** Returns a problem for each kind whose undeclared objects would be deleted once merged, or would no longer be. */
function exclusiveOnceMerged(
  trusted: Workspace,
  own: Workspace,
  services: readonly Service[],
  kinds: ReadonlyMap<string, Kind>,
): readonly Problem[] {
  const [before, after] = [exclusiveByService(trusted, services), exclusiveByService(own, services)];
  return [...new Set([...before.keys(), ...after.keys()])].sort(inOrder).flatMap((group): readonly Problem[] => {
    const [old, fresh] = [before.get(group), after.get(group)];
    const rule = fresh ?? old;
    const kind = rule && kinds.get(rule.kind);
    const role = services.find(({ name }) => name === rule?.service)?.role;
    if (rule === undefined || kind === undefined || role === undefined || !rolesOf(kind).includes(role)) return [];
    const of = `undeclared objects of ${rule.kind} in ${rule.service}`;
    const problem = (message: string): Problem => ({
      code: "SP1022",
      message: `Once merged, ${message}.`,
      place: rule.place,
    });
    if (old === undefined) return [problem(`a plan deletes ${of}`)];
    if (fresh === undefined) return [problem(`a plan no longer deletes ${of}`)];
    const lost = old.except.filter((pattern) => !fresh.except.includes(pattern));
    return lost.length === 0 ? [] : [problem(`a plan deletes more ${of}: ${lost.join(", ")} would not be kept`)];
  });
}
