import type { LiveList } from "./live-list.ts";
import type { RoleName } from "./resource.ts";
import type { Trigger } from "./trigger.ts";

/** A service of the workspace, ready to connect to. Credentials are never part of a workspace. */
export interface Service {
  readonly name: string;
  readonly role: RoleName;
  /** The product, such as `gerrit`. */
  readonly type: string;
  /** Root URL without a trailing slash. */
  readonly url: string;
  /** Roots of parts of the service with other URLs, such as `auth` or `updates`, without a trailing slash. */
  readonly urls?: Readonly<Record<string, string>>;
  /** `documented`: exactly the API documents' words and paths, and no `ext` operation or argument. */
  readonly wire: "product" | "documented";
  readonly limits: ServiceLimits;
}

/** Limits on requests to a service. */
export interface ServiceLimits {
  /** Concurrent requests. */
  readonly concurrency: number;
  /** Milliseconds to wait for an answer. */
  readonly timeout: number;
  /** The most requests in any second; unlimited by default. */
  readonly requestsPerSecond?: number | undefined;
  /** How many times a request is sent at most, including retries. */
  readonly attempts: number;
}

/** What a workspace and its manifests know about a type of service. */
export interface ServiceType {
  readonly role: RoleName;
  /** The products of this role, as `type` in a workspace names them. */
  readonly types: readonly string[];
  /** Roots of parts of the service with other URLs, by the names that `urls` in a workspace gives them. */
  readonly roots?: Readonly<Record<string, ServiceRoot>>;
  /** The lists that a document can be repeated over. */
  readonly liveLists?: readonly LiveList[];
  /** What a workspace can have done after a complete apply, by its word in `onApplied`. */
  readonly triggers?: Readonly<Record<string, Trigger>>;
}

/** A root URL beside the service's own. */
export interface ServiceRoot {
  /** Completes "`name` …", such as "of an artifact repository's tokens". */
  readonly description: string;
  /** Where it is unless the workspace says otherwise. `url` is the service's own root, without a trailing slash. */
  default(url: string): string;
  /** Whether it takes credentials: the service's own at its origin, `SETPOINT_<SERVICE>_<ROOT>_…` at another one. */
  readonly signedIn?: true;
}

/** The name of a variable of a service: `SETPOINT_<SERVICE>_<NAME>`. */
export function variableOf({ name: service }: Pick<Service, "name">, name: string): string {
  return `SETPOINT_${service.toUpperCase().replaceAll("-", "_")}_${name}`;
}

/** Returns, by the name of each service, the names of all that are the same server: of one role and URL, in their order. */
export function oneServer(services: readonly Service[]): ReadonlyMap<string, readonly string[]> {
  const servers = Map.groupBy(services, ({ role, url }) => `${role} ${new URL(url).href}`);
  const names = [...servers.values()].map((all) => all.map(({ name }) => name));
  return new Map(names.flatMap((all) => all.map((name) => [name, all] as const)));
}
