import { type Environment, readCredentials } from "../clients/credentials/credentials.ts";
import { credentialsFor } from "../clients/credentials/credentials-for.ts";
import { serviceOfRole } from "../clients/find-service.ts";
import { type Problem, problemsOf } from "../core/problem.ts";
import type { Plan } from "../core/run/plan.ts";
import type { Service } from "../core/service.ts";

/**
 * Adds a warning to a plan for each service that lacks the credentials to start what follows an apply. Otherwise the apply
 * would find out only after everything else is done.
 */
export function withStarts(plan: Plan, services: readonly Service[], env: Environment): Plan {
  const { warnings = [], triggers = [] } = plan;
  const starting = services.filter(({ name }) => triggers.some((call) => call.service === name));
  const missing = starting.flatMap((service) => startProblems(service, env));
  return missing.length === 0 ? plan : { ...plan, warnings: [...warnings, ...missing] };
}

function startProblems(service: Service, env: Environment): readonly Problem[] {
  try {
    if (credentialsFor(service, env).is !== "none") return [];
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
