import { type Problem, ProblemError, problemsOf } from "../core/problem.ts";
import type { Resource } from "../core/resource.ts";
import type { Service } from "../core/service.ts";
import { compareVersions, isVersion } from "../core/text/version.ts";

/**
 * What one check found out about a service. `unknown`: the service did not report something useful, which is not an
 * error.
 */
export interface CheckResult {
  readonly check: string;
  readonly result: "ok" | "wrong" | "unknown";
  /** In words, for people. */
  readonly says: string;
  /** What to do about it. */
  readonly hint?: string | undefined;
  readonly code?: Problem["code"];
}

/** What is known about a service before it is checked. */
export interface Circumstances {
  /** The name in the credentials, if they have one. */
  readonly username: string | undefined;
  /** Where the credentials come from, worded for a hint. */
  readonly origin: string;
  readonly wire: Service["wire"];
  /** The service's resources that the manifests declare. */
  readonly declared: readonly Resource[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What a check found: something in order, or what to do about it. Undefined if there is nothing to report. */
export type CheckAnswer = { readonly says: string; readonly wrong?: { readonly hint: string } } | undefined;

/** The questions about a service of one role, by name. `Read` is the reading half of the role's client. */
export interface RoleChecks<Read = unknown> {
  /** Asks for the identity; the others run only if it succeeds. */
  account(read: Read, circumstances: Circumstances): Promise<CheckAnswer>;
  readonly required?: Readonly<Record<string, RoleChecks<Read>["account"]>>;
  /** What the service is free to leave unanswered: a refusal is then `unknown`. */
  readonly optional: Readonly<Record<string, RoleChecks<Read>["account"]>>;
}

/** Runs a check, which throws `ProblemError` if the service does not answer: that is `refused`. */
export async function runCheck(
  check: string,
  find: () => Promise<CheckAnswer>,
  refused: CheckResult["result"] = "wrong",
): Promise<readonly CheckResult[]> {
  try {
    const found = await find();
    if (found === undefined) return [];
    const { says, wrong } = found;
    return [wrong === undefined ? { check, result: "ok", says } : { check, result: "wrong", says, hint: wrong.hint }];
  } catch (error) {
    return problemsOf(error)
      .slice(0, 1)
      .map((problem) => problemFinding(check, problem, refused));
  }
}

/** A problem as a finding. */
export function problemFinding(
  check: string,
  { code, message, hint }: Problem,
  result: CheckResult["result"] = "wrong",
): CheckResult {
  return { check, result, says: message, code, hint };
}

/** The result of a sign-in: `signed in as setpoint`. */
export function signedInAs(username: string | undefined): NonNullable<CheckAnswer> {
  return { says: username === undefined ? "signed in" : `signed in as ${username}` };
}

/** The versions of a product that setpoint works with. */
export interface Supported {
  /** The oldest one. */
  readonly since: string;
  /** What that version introduced that setpoint cannot do without. */
  readonly why: string;
  /** The newest one that the tests were run against, if they are run against a real server. */
  readonly tried?: string;
}

/**
 * Judges the version of a service. A version older than setpoint needs is wrong; one newer than any tested is not. Throws
 * `ProblemError` SP3103 if the version cannot be compared.
 */
export function versionFound({ since, why, tried }: Supported, version: string): NonNullable<CheckAnswer> {
  if (!isVersion(version))
    throw new ProblemError({
      code: "SP3103",
      message: `The version ${version} cannot be compared with ${since}, the oldest supported version.`,
    });
  if (compareVersions(version, since) < 0)
    return {
      says: `${version} is older than ${since}`,
      wrong: { hint: `Upgrade to ${since} or newer: since then, ${why}.` },
    };
  // `3.10.4` belongs to the release line `3.10`.
  const newer = tried !== undefined && !version.startsWith(`${tried}.`) && compareVersions(version, tried) > 0;
  return { says: `${version}, supported since ${since}${newer ? `; newer than ${tried}, the newest tested` : ""}` };
}
