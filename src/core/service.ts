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
