import type { Problem } from "../../../core/problem.ts";

/** A redirect, which is never followed. */
interface Redirect {
  readonly status: number;
  readonly location?: string | undefined;
  readonly hasMoved?: boolean;
  readonly hint?: string | undefined;
}

/** Redirects that say where an object is now. The others are how a service asks a person to sign in. */
const moved: readonly number[] = [301, 307, 308];

/** Names that sign-in pages have in their addresses. */
const signIn = /[/.](log-?in|sign-?_?in|commenceLogin|sso|saml2?|oauth2?|openid|adfs)\b/i;

/** An object that has moved is neither absent nor forbidden: it has another name, or the service has another address. */
export function redirectProblem({ status, location = "", hasMoved, hint }: Redirect): Problem {
  if (hasMoved === true && location !== "" && !signIn.test(location))
    return {
      code: "SP3007",
      message: `The service redirects (${status}) to ${location}: the object has moved there.`,
      hint: hint ?? "Redirects are never followed: use the object's new name or the service's new url.",
    };
  return {
    code: "SP3003",
    message: `The service redirects (${status}) to ${location || "nowhere"} instead of answering: the account is not signed in.`,
    hint: "Check the credentials, and that the service's url is the final one: redirects are never followed.",
  };
}

/** Whether a redirect points to the object that was asked for, at another place. */
export function hasMovedTo(target: string, status: number, asked: string): boolean {
  return moved.includes(status) || (asked.length > 1 && target.endsWith(asked));
}
