import type { Service } from "../../core/service.ts";
import { serviceOfRole } from "../find-service.ts";
import { type Credentials, type Environment, readCredentials } from "./credentials.ts";

/** Returns the credentials that the environment has for a service. Throws as `readCredentials` does. */
export function credentialsFor(service: Service, env: Environment): Credentials {
  return readCredentials(service, env, serviceOfRole(service.role).credentials);
}
