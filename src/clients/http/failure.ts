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
  if (status < 400) return redirectProblem(status, failure.location ?? "");
  const code = codeOf(status);
  const reason = said === undefined || said === "" ? "" : `: ${said.replace(/\.$/, "")}`;
  const until =
    resumes === undefined
      ? ""
      : ` It takes requests again at ${new Date(Math.min(resumes, latestDate)).toISOString()}.`;
  return { code, message: `The service answered ${status}${reason}.${until}`, hint: hint ?? hints[code] };
}

/** Redirects that say where a thing is now. The others are how a service asks a person to sign in. */
const moved: readonly number[] = [301, 307, 308];

/** Names that sign-in pages have in their addresses. */
const signIn = /[/.](log-?in|sign-?_?in|commenceLogin|sso|saml2?|oauth2?|openid|adfs)\b/i;

/** A thing that has moved is neither absent nor forbidden: it has another name, or the service another address. */
function redirectProblem(status: number, location: string): Problem {
  if (moved.includes(status) && location !== "" && !signIn.test(location))
    return {
      code: "SP3007",
      message: `The service redirects (${status}) to ${location}: what was asked for has moved there.`,
      hint: "Redirects are never followed: use the new name of what was renamed, or the service's new url.",
    };
  return {
    code: "SP3003",
    message: `The service redirects (${status}) to ${location || "nowhere"} instead of answering: the account is not signed in.`,
    hint: "Check the credentials, and that the service's url is the final one: redirects are never followed.",
  };
}

function codeOf(status: number): keyof typeof hints {
  if (status === 401) return "SP3003";
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
