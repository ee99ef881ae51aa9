import type { Service } from "../../core/service.ts";
import { stricterLimits } from "../workspace/limits.ts";
import type { Exclusive, Workspace, WorkspaceParts } from "../workspace/read-workspace.ts";
import { isTrusted, type TrustedRules } from "./trusted-rules.ts";

/**
 * Returns the rules that judge a workspace if a ref is trusted. The ref decides addresses of services, values, and calls
 * after an apply. For rules that only refuse or delete, the stricter of both applies. Names that only the workspace has can
 * be used, but a service of such a name is never contacted.
 */
export function underTrusted(own: WorkspaceParts, trusted: TrustedRules): WorkspaceParts {
  const { parts, workspace } = trusted;
  const services = new Map(
    [...own.services].map(([name, service]) => [
      name,
      service !== undefined && isTrusted(trusted, service) ? parts.services.get(name) : service,
    ]),
  );
  const stated = new Set(own.globs.map(({ glob }) => glob));
  return {
    ...own,
    services,
    dotfiles: parts.dotfiles,
    globs: [...own.globs, ...parts.globs.filter(({ glob }) => !stated.has(glob))],
    variables: new Map([...own.variables, ...parts.variables]),
    workspace: own.workspace && {
      ...workspace,
      services: [...services.values()].filter((one): one is Service => one !== undefined && isTrusted(trusted, one)),
      manifests: [...new Set([...own.workspace.manifests, ...workspace.manifests])],
      guards: stricterGuards(workspace.guards, own.workspace.guards),
      limits: stricterLimits(workspace.limits, own.workspace.limits),
      exclusive: exclusiveInBoth(workspace, own.workspace),
    },
  };
}

type Guards = Workspace["guards"];

/** Returns guards that refuse whatever either refuses. Each guard is named, so a new one does not compile without its rule. */
function stricterGuards(a: Guards, b: Guards): { readonly [Name in keyof Required<Guards>]: Guards[Name] } {
  const limits = [a.maxDeletes, b.maxDeletes].filter((limit) => limit !== undefined);
  return {
    maxDeletes: limits.length === 0 ? undefined : Math.min(...limits),
    maxDeletePercent: Math.min(a.maxDeletePercent, b.maxDeletePercent),
    accept: [...new Set([...a.accept, ...b.accept])],
  };
}

/** Returns the exclusive kinds of a workspace for the given services, by kind and service. */
export function exclusiveByService(
  { exclusive }: Pick<Workspace, "exclusive">,
  services: readonly Service[],
): ReadonlyMap<string, Exclusive & { readonly service: string }> {
  const all = services.flatMap(({ name }) =>
    exclusive.filter(({ service = name }) => service === name).map((rule) => ({ ...rule, service: name })),
  );
  return new Map(
    [...Map.groupBy(all, ({ kind, service }) => `${kind} ${service}`)].flatMap(([group, rules]) =>
      rules.slice(0, 1).map((rule) => [group, { ...rule, except: rules.flatMap(({ except }) => except) }]),
    ),
  );
}

/** Returns the exclusive kinds of both: an undeclared object is deleted only if both say so and neither keeps it. */
function exclusiveInBoth(trusted: Workspace, own: Workspace): readonly Exclusive[] {
  const others = exclusiveByService(own, trusted.services);
  return [...exclusiveByService(trusted, trusted.services)].flatMap(([group, rule]) => {
    const other = others.get(group);
    return other === undefined ? [] : [{ ...rule, except: [...new Set([...rule.except, ...other.except])] }];
  });
}
