import { ProblemError } from "../core/problem.ts";
import type { Role } from "../core/resource.ts";
import { compareVersions, isVersion } from "../core/version.ts";
import type { Found } from "./check.ts";

/** The versions of a product that setpoint works with. */
export interface Supported {
  /** The oldest one. */
  readonly since: string;
  /** What that version brought, and setpoint cannot do without. */
  readonly why: string;
  /** The newest one that the tests were run against, where they are run against a real server. */
  readonly tried?: string;
}

/** By role. Of static analysis servers no oldest version is known. @see docs/decisions/versions.md, for the sources */
export const supportedVersions: Readonly<Partial<Record<Role, Supported>>> = {
  artifacts: { since: "7.21.1", why: "access tokens are issued and listed by the token service" },
  hosting: { since: "3.9", why: "the REST API has versions, of which setpoint names one" },
  review: { since: "2.14", why: "access rules can be written by the REST API, signed in by a password", tried: "3.10" },
  ci: { since: "2.98", why: "scripts find the server by the name that setpoint's use" },
  tracker: { since: "7.0", why: "the REST API has the preferences of the caller" },
  wiki: { since: "5.5", why: "pages are read and written by the REST API" },
};

/**
 * What is to be said of the version of a service: an older one than setpoint needs is wrong; a newer one than any that
 * was tried is not. Throws `ProblemError` SP3103 where it cannot be compared.
 */
export function versionFound(role: Role, version: string): Found {
  const supported = supportedVersions[role];
  if (supported === undefined) return { says: version };
  const { since, why, tried } = supported;
  if (!isVersion(version))
    throw new ProblemError({
      code: "SP3103",
      message: `The version ${version} cannot be compared with ${since}, the oldest that setpoint works with.`,
    });
  if (compareVersions(version, since) < 0)
    return {
      says: `${version} is older than ${since}`,
      wrong: { hint: `Upgrade it to ${since} or newer: since then ${why}.` },
    };
  const newer = tried !== undefined && isNewer(version, tried);
  return { says: `${version}, supported since ${since}${newer ? `; newer than ${tried}, the newest tried` : ""}` };
}

/** Whether a version is beyond a line such as `3.10`, of which `3.10.4` is one. */
function isNewer(version: string, line: string): boolean {
  return !version.startsWith(`${line}.`) && compareVersions(version, line) > 0;
}
