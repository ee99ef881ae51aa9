import { ProblemError } from "../../core/problem.ts";
import type { Service } from "../../core/service.ts";
import { serviceOfRole } from "../find-service.ts";
import { type Credentials, type Environment, readCredentials } from "./credentials.ts";

/** Returns the credentials that the environment has for a service. Throws as `readCredentials` does. */
export function credentialsFor(service: Service, env: Environment): Credentials {
  return readCredentials(service, env, serviceOfRole(service.role).credentials);
}

/** Returns the user name in the credentials; undefined if they have none or are invalid, which every call reports. */
export function usernameOf(service: Service, env: Environment): string | undefined {
  try {
    const credentials = credentialsFor(service, env);
    return "username" in credentials ? credentials.username : undefined;
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}
