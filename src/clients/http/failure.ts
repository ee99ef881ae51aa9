import type { Problem, ProblemCode } from "../../core/problem.ts";

/** A service's answer that says no. */
export interface Failure {
  /** The HTTP status, or the status in the answer where the service says it there. */
  readonly status: number;
  /** The service's own words. */
  readonly said?: string | undefined;
  /** Milliseconds since 1970 from which on the service takes requests again. */
  readonly resumes?: number | undefined;
  /** Where a redirect points. */
  readonly location?: string | undefined;
  /** What to do next, where more is known than the status says. Never the service's own words. */
  readonly hint?: string | undefined;
}

const hints = {
  SP3003: "Check the credentials in the environment: they may be wrong, expired or of another account.",
  SP3004: "Ask an administrator of the service to grant the account the right, or use another account.",
  SP3005: "Check the names, and that the account may see the object: services hide what it may not.",
  SP3006: "Make a new plan: it reads the object again.",
  SP3007: "The message above is the service's own; check the values it names.",
  SP3008: "Try again later, or lower the service's limits.concurrency.",
  SP3009: "Try again later; the service's own log says why.",
} as const satisfies Partial<Record<ProblemCode, string>>;

/** The latest time that a date can hold, in milliseconds since 1970. */
const latestDate = 8.64e15;

/** The problem of a failure, without service and operation. */
export function failureProblem(failure: Failure): Problem {
  const { status, said, resumes, hint } = failure;
  const code = codeOf(status);
  if (status < 400)
    return {
      code,
      message: `The service redirects (${status}) to ${failure.location ?? "nowhere"} instead of answering: the account is not signed in.`,
      hint: "Check the credentials, and that the service's url is the final one: redirects are never followed.",
    };
  const reason = said === undefined || said === "" ? "" : `: ${said.replace(/\.$/, "")}`;
  const until =
    resumes === undefined
      ? ""
      : ` It takes requests again at ${new Date(Math.min(resumes, latestDate)).toISOString()}.`;
  return { code, message: `The service answered ${status}${reason}.${until}`, hint: hint ?? hints[code] };
}

function codeOf(status: number): keyof typeof hints {
  if (status < 400 || status === 401) return "SP3003";
  if (status >= 500) return "SP3009";
  switch (status) {
    case 403:
      return "SP3004";
    case 404:
    case 410:
      return "SP3005";
    case 409:
      return "SP3006";
    case 429:
      return "SP3008";
    default:
      return "SP3007";
  }
}
