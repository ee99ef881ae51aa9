import type { Call } from "../call.ts";
import type { Address, RoleName } from "../resource.ts";
import type { JsonObject } from "../text/json.ts";

/** A write that a publisher may make: the operation, and the arguments that it must have. */
export type WritePermit = Pick<Call, "operation" | "args">;

/** The target of publishing: the service of this name, or the only one of the role, and the writes permitted there. */
export interface PublishingTo {
  readonly role: RoleName;
  readonly service: string | undefined;
  readonly writes: readonly WritePermit[];
}

/** A connection that reads, and writes what was permitted. */
export interface PublishingDoor {
  /** The names in the workspace of the server that is written to. */
  readonly services: readonly string[];
  /** Sends an operation. Throws `ProblemError`, SP4006 for a write that was not permitted. */
  call(operation: string, args: JsonObject): Promise<unknown>;
  /** The user name in the credentials, if they have one. */
  readonly username: string | undefined;
  /** Whether a manifest of the workspace declares the resource, whatever the run was narrowed to. */
  isDeclared(address: Address): Promise<boolean>;
}

/** Where a workspace is in its repository. */
export interface WorkspaceLocation {
  /** The workspace's folder in the repository: "" or ending with "/". */
  readonly prefix: string;
  /** Distinguishes the workspaces of a repository: "" for the one at its top. */
  readonly name: string;
}
