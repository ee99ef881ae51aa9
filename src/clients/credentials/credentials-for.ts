import { type Problem, ProblemError } from "../../core/problem.ts";
import { type Service, variableOf } from "../../core/service.ts";
import { alternatives } from "../../core/text/words.ts";
import { serviceOfRole } from "../find-service.ts";
import { isAtOwnRoot } from "../http/path.ts";
import { type Credentials, credentialVariables, type Environment, readCredentials } from "./credentials.ts";

/** Where credentials come from that were taken from an environment: a program can have others. */
const origins = new WeakMap<Credentials, string>();

/** Returns the credentials that the environment has for a service. Throws as `readCredentials` does. */
export function credentialsFor(service: Service, env: Environment): Credentials {
  const credentials = readCredentials(service, env, serviceOfRole(service.role).credentials);
  origins.set(credentials, credentialOrigin(service, env));
  return credentials;
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

/**
 * Returns the hint of a problem with the service's own name in variables; in that of a problem SP3003 also the names of
 * the variables, or of the netrc file, that the refused credentials come from; in that of SP3004 the account. Roots beside a
 * service can have other credentials, so their hints name none.
 */
export function credentialHint(
  { code, hint }: Problem,
  operation: string,
  service: Service,
  credentials: Credentials,
): Pick<Problem, "hint"> {
  const { operations, credentials: forms } = serviceOfRole(service.role);
  if (hint === undefined) return {};
  const origin = origins.get(credentials) ?? "the credentials";
  const isOwn = isAtOwnRoot(operations[operation]);
  if (code !== "SP3003" || !isOwn) {
    const own = hint.replaceAll("SETPOINT_<SERVICE>_", variableOf(service, ""));
    if (!isOwn || credentials.is === "none") return { hint: own };
    const account = ("username" in credentials ? credentials.username : undefined) ?? `the account of ${origin}`;
    // Only the hint of SP3004 has these words.
    return { hint: own.replace("grant the permission", (words) => `${words} to ${account}`) };
  }
  const sets = credentialVariables(service, forms);
  if (credentials.is === "none") {
    const missing = sets.map((names) => names.join(" and "));
    // A comma keeps "and" apart from the alternatives after it.
    const bound = `${variableOf(service, "URL")}${missing.length === 1 ? "" : ","}`;
    return { hint: `There are no credentials for ${service.name}: set ${bound} and ${alternatives(missing)}.` };
  }
  return { hint: hint.replace(/the credentials( in the environment)?(?=[:,])/, origin) };
}

/** Where the credentials of a service come from: the variables, or the entry of a netrc file. */
export function credentialOrigin(service: Service, env: Environment): string {
  const sets = credentialVariables(service, serviceOfRole(service.role).credentials);
  const found = sets.find((names) => names.every((name) => env[name]));
  return found?.join(" and ") ?? `the entry of ${new URL(service.url).host} in ${env.NETRC || "~/.netrc"}`;
}
