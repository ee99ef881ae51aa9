import { type Kind, rolesOf } from "../../core/kind.ts";
import type { Problem } from "../../core/problem.ts";
import type { Address, Place, Resource } from "../../core/resource.ts";
import type { Service } from "../../core/service.ts";
import { canonicalJson, isObject, sameJson } from "../../core/text/json.ts";
import { inOrder } from "../../core/text/words.ts";
import type { Workspace } from "../workspace/read-workspace.ts";
import { exclusiveByService } from "./combine.ts";

/** The rules of both sides, and the services and kinds that they are about. */
interface Rules {
  readonly trusted: Workspace;
  readonly own: Workspace;
  readonly services: readonly Service[];
  readonly kinds: ReadonlyMap<string, Kind>;
}

/** Returns what the workspace's own rules would judge differently, as problems of code SP1022. */
export function judgedOnceMerged(
  now: readonly Resource[],
  once: readonly Resource[],
  rules: Rules,
): readonly Problem[] {
  return [...resourcesOnceMerged(now, once), ...exclusiveOnceMerged(rules)];
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
function exclusiveOnceMerged({ trusted, own, services, kinds }: Rules): readonly Problem[] {
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
