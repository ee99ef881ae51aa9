import { type Problem, problemsOf } from "../../core/problem.ts";
import { type Service, variableOf } from "../../core/service.ts";
import { serviceOfRole } from "../find-service.ts";
import type { Root } from "../http/encode.ts";
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
export function rootProblems(
  service: Service,
  env: Environment,
): readonly { readonly root: string; readonly problem: Problem }[] {
  return Object.keys(service.urls ?? {}).flatMap((root) => {
    try {
      credentialsAt(service, { is: "entry", name: root }, { is: "none" }, env);
      return [];
    } catch (error) {
      return problemsOf(error).map((problem) => ({ root, problem }));
    }
  });
}
