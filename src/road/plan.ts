import { type Environment, readCredentials } from "../clients/credentials/credentials.ts";
import { serviceOfRole } from "../clients/find-service.ts";
import { type Problem, problemsOf } from "../core/problem.ts";
import type { Plan } from "../core/run/plan.ts";
import type { Service } from "../core/service.ts";
import { sameJson } from "../core/text/json.ts";
import type { Judged } from "../manifests/trust/judge.ts";
import type { Workspace } from "../manifests/workspace/read-workspace.ts";
import type { PlanResult } from "../planner/make-plan.ts";

type Guards = Workspace["guards"];

/**
 * The plan under the stricter of the trusted guards and the workspace's own, with the refusals that only one of the two
 * makes. `planBy` makes the plan under given guards; it is pure.
 */
export function planByBoth(
  strictest: Guards,
  { trusted, guards }: Pick<Judged, "trusted" | "guards">,
  planBy: (guards: Guards) => PlanResult,
): PlanResult {
  const made = planBy(strictest);
  if (made.is === "wrong" || trusted === undefined || guards === undefined) return made;
  const { plan } = made;
  if (plan.refusals.length === 0 || sameJson(guards.trusted, guards.own)) return made;
  const refusedBy = (one: Guards) => {
    const planned = planBy(one);
    return new Set(planned.is === "planned" ? planned.plan.refusals.map(({ message }) => message) : []);
  };
  const [before, after] = [refusedBy(guards.trusted), refusedBy(guards.own)];
  const differences = plan.refusals.flatMap(({ message }): readonly Problem[] => {
    if (!after.has(message)) return [{ code: "SP1022", message: `Once merged, no guard will refuse this: ${message}` }];
    return before.has(message)
      ? []
      : [{ code: "SP1022", message: `Refused only by a guard that is not merged yet: ${message}` }];
  });
  const onceMerged = [...trusted.onceMerged, ...differences];
  return { ...made, plan: { ...plan, trusted: { ...trusted, onceMerged } } };
}

/**
 * Returns the plan with its warnings replaced by those of this run: `found`, and for each service that lacks the credentials to
 * start what follows an apply, that it does. Otherwise the apply would find out only after everything else is done.
 */
export function withWarnings(
  { warnings: _elsewhere, ...plan }: Plan,
  found: readonly Problem[],
  services: readonly Service[],
  env: Environment,
): Plan {
  const starting = services.filter(({ name }) => plan.triggers?.some((call) => call.service === name));
  const warnings = [...found, ...starting.flatMap((service) => startProblems(service, env))];
  return warnings.length === 0 ? plan : { ...plan, warnings };
}

/** The problem of a plan that another run overlapped: a warning, or why its apply is not recorded. */
export function overlapProblem(services: readonly string[]): Problem {
  return {
    code: "SP5005",
    message: `Another run wrote to ${services.join(", ")} while this was planned, so the plan may show only a part of what that run does.`,
    hint: "Plan again once it has ended. apply and revert wait for it with --wait 10m.",
  };
}

function startProblems(service: Service, env: Environment): readonly Problem[] {
  try {
    // Reading anonymously is not enough to start something.
    const { anonymous: _reading, ...forms } = serviceOfRole(service.role).credentials;
    readCredentials(service, env, forms);
    return [];
  } catch (error) {
    return problemsOf(error).map((problem) => ({
      ...problem,
      message: `${problem.message} The onApplied operations there would not be started.`,
    }));
  }
}
