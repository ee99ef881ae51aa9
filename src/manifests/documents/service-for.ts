import { type Kind, rolesOf } from "../../core/kind.ts";
import type { Service } from "../../core/service.ts";
import { alternatives, didYouMean, quote } from "../../core/text/words.ts";
import { problemAt, type ReportProblem } from "../yaml/source-text.ts";
import { follow, type Mapping, plain, valueRange } from "../yaml/tree.ts";

/** The services of a workspace by name; undefined for one whose own errors are already reported. */
export type Services = ReadonlyMap<string, Service | undefined>;

/** Returns the service that a document belongs to: the named one, or the only one with a role of the kind. Reports SP1009. */
export function serviceFor(tree: Mapping, kind: Kind, services: Services, report: ReportProblem): Service | undefined {
  const named = follow(tree, ["metadata", "service"]);
  const roles = rolesOf(kind);
  const all = [...services.values()];
  const candidates = all.filter((service) => service !== undefined && roles.includes(service.role));
  // An invalid service could be another candidate.
  if (!named.found && candidates.length === 1 && !all.includes(undefined)) return candidates[0];
  const fit = alternatives(candidates.flatMap((service) => service?.name ?? []));
  if (!named.found) {
    const at = valueRange(follow(tree, ["kind"]));
    const missing = whyNowhere(kind, services);
    if (missing !== undefined) report(problemAt(at, "SP1009", missing));
    const hint = "Name one of them in metadata.service.";
    if (candidates.length > 1) report(problemAt(at, "SP1009", `${kind.kind} could belong to ${fit}.`, { hint }));
    return undefined;
  }
  const name = plain(named.tree);
  if (typeof name !== "string") return undefined;
  const wrong = whyNotThere(kind, name, services);
  if (wrong === undefined) return services.get(name);
  const hint = fit === "" ? undefined : `Services for ${kind.kind}: ${fit}.`;
  report(problemAt(valueRange(named), "SP1009", wrong, { hint }));
  return undefined;
}

export function whyNowhere(kind: Kind, services: Services): string | undefined {
  const roles = rolesOf(kind);
  // The service that seems to be missing might be one whose declaration is invalid.
  if ([...services.values()].some((one) => one === undefined || roles.includes(one.role))) return undefined;
  return `The workspace has no service for ${kind.kind}: setpoint kinds shows its type.`;
}

/** Returns why a named service cannot have a kind; why it cannot have any if the kind is unknown. */
export function whyNotThere(kind: Kind | undefined, name: string, services: Services): string | undefined {
  if (!services.has(name)) return `There is no service ${quote(name)}.${didYouMean(name, services.keys())}`;
  const stated = services.get(name);
  if (kind === undefined || stated === undefined || rolesOf(kind).includes(stated.role)) return undefined;
  return `${kind.kind} does not belong to ${quote(name)}, which is of type ${stated.type}.`;
}
