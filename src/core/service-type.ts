import type { LiveList } from "./live-list.ts";
import type { Role } from "./resource.ts";

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
