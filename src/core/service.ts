import type { LiveList } from "./live-list.ts";
import type { Role } from "./resource.ts";

/** A service of the workspace, ready to connect to. Credentials are not part of it: they never stand in a workspace. */
export interface Service {
  readonly name: string;
  readonly role: Role;
  /** The product, such as `gerrit`. */
  readonly type: string;
  /** Root URL without a trailing slash. */
  readonly url: string;
  /** Roots of what belongs to the service and stands elsewhere, such as `auth` or `updates`, without a trailing slash. */
  readonly urls?: Readonly<Record<string, string>>;
  /** `documented`: exactly the API documents' words and paths, and no `ext` operation. */
  readonly wire: "product" | "documented";
  readonly limits: ServiceLimits;
}

/** How hard a service may be asked. */
export interface ServiceLimits {
  /** Requests under way at once. */
  readonly concurrency: number;
  /** Milliseconds until an answer must have come. */
  readonly timeout: number;
  /** Times a request is sent at most. */
  readonly attempts: number;
}

/** What a workspace and its manifests know of a type of service. */
export interface ServiceType {
  readonly role: Role;
  /** The products of this role, as `type` in a workspace names them. */
  readonly types: readonly string[];
  /** Roots of what belongs to the service and stands elsewhere, by the names that `urls` in a workspace gives them. */
  readonly roots?: Readonly<Record<string, ServiceRoot>>;
  /** The lists that a document can be repeated over. */
  readonly liveLists?: readonly LiveList[];
}

/** A root URL beside the service's own. */
export interface ServiceRoot {
  /** Completes "`name` …", such as "of an artifact repository's tokens". */
  readonly description: string;
  /** Where it is unless the workspace says otherwise. `url` is the service's own root, without a trailing slash. */
  default(url: string): string;
}
