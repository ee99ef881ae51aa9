import { onceEach } from "../../core/once.ts";
import { problemsOf } from "../../core/problem.ts";
import type { Secret } from "../../core/secret.ts";
import { type Service, variableOf } from "../../core/service.ts";
import { serviceOfRole } from "../find-service.ts";
import type { Root } from "../http/encode.ts";
import type { Protocol } from "../http/protocol.ts";
import { mismatchOf } from "./binding.ts";
import { type Credentials, type Environment, readCredentials } from "./credentials.ts";

/**
 * Returns the credentials for a request: the service's own at its own address and where its product has the root;
 * anywhere else those of the root, if it takes any. Throws as `readCredentials` does.
 */
export function credentialsAt(
  service: Service,
  root: Root | undefined,
  own: Credentials,
  env: Environment,
): Credentials {
  if (root?.is !== "entry") return own;
  const url = service.urls?.[root.name];
  const { roots, credentials } = serviceOfRole(service.role);
  if (url !== undefined && isOwn(service, root.name, url, env)) return own;
  if (url === undefined || roots?.[root.name]?.signedIn !== true) return { is: "none" };
  // The root has the variables of a service with this name: SETPOINT_<SERVICE>_<ROOT>_URL and so on.
  return readCredentials({ ...service, name: `${service.name}-${root.name}`, url }, env, credentials);
}

/**
 * Whether a service's credentials are also meant for one of its roots. The root must be at the service's origin, and
 * either within the path that the environment binds the credentials to or where the product has the root.
 */
function isOwn(service: Service, root: string, url: string, env: Environment): boolean {
  if (new URL(url).origin !== new URL(service.url).origin) return false;
  const bound = env[variableOf(service, "URL")];
  const { roots } = serviceOfRole(service.role);
  return !bound || mismatchOf(url, bound) === undefined || url === roots?.[root]?.default(service.url);
}

/** What is wrong with the credentials of a service's roots at other addresses, by root. */
export function rootProblems(service: Service, env: Environment) {
  return Object.keys(service.urls ?? {}).flatMap((root) => {
    try {
      credentialsAt(service, { is: "entry", name: root }, { is: "none" }, env);
      return [];
    } catch (error) {
      return problemsOf(error).map((problem) => ({ root, problem }));
    }
  });
}

/**
 * Returns a function that gives what requests to a root are authenticated with, and the secrets among it that must not be
 * shown. `secret` replaces that of the credentials wherever they sign in. Each identity is made once, since the environment
 * stays the same for the life of a connection. Throws as `credentialsAt` does.
 */
export function identities(
  service: Service,
  headersOf: Protocol["headers"],
  credentials: Credentials,
  secret: Secret | undefined,
  env: Environment,
) {
  const identityAt = (root: Root | undefined) => {
    const own = withSecret(credentialsAt(service, root, credentials, env), secret);
    return { headers: headersOf(service, own), secrets: own === credentials ? [] : revealed(own) };
  };
  return onceEach(identityAt, (root) => (root?.is === "entry" ? root.name : ""));
}

function withSecret(credentials: Credentials, secret: Secret | undefined): Credentials {
  if (secret === undefined || credentials.is === "none") return credentials;
  return credentials.is === "basic" ? { ...credentials, password: secret } : { is: "token", token: secret };
}

/** Returns every string of the credentials that must not be shown. */
export function revealed(credentials: Credentials): string[] {
  switch (credentials.is) {
    case "none":
      return [];
    case "basic":
      return [credentials.password.reveal(), `${credentials.username}:${credentials.password.reveal()}`];
    case "token":
      return [credentials.token.reveal()];
    case "key":
      return [credentials.key.reveal()];
  }
}
