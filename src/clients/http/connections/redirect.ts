import type { Problem } from "../../../core/problem.ts";
import { proxyHint } from "../answer.ts";

/** A redirect, which is never followed. */
interface Redirect {
  readonly status: number;
  readonly location?: string | undefined;
  readonly moved?: "object" | "service" | undefined;
  readonly hint?: string | undefined;
}

/** Redirects that say where an object is now. The others are how a service asks a person to sign in. */
const lasting: readonly number[] = [301, 307, 308];

/** Names that sign-in pages have in their addresses. */
const signIn = /[/.](log-?in|sign-?_?in|commenceLogin|sso|saml2?|oauth2?|openid|adfs)\b/i;

/** An object that has moved is neither absent nor forbidden: it has another name, or the service has another address. */
export function redirectProblem({ status, location = "", moved, hint }: Redirect): Problem {
  // Such as 304, which is the answer to a question of some cache in between.
  if (location === "")
    return {
      code: "SP3103",
      message: `The service answered ${status}, with neither content nor another address.`,
      hint: proxyHint,
    };
  if (moved !== undefined && !signIn.test(location))
    return {
      code: "SP3007",
      message: `The service redirects (${status}) to ${location}: the ${moved} has moved there.`,
      hint: hint ?? "Redirects are never followed: use the object's new name or the service's new url.",
    };
  return {
    code: "SP3003",
    message: `The service redirects (${status}) to ${location} instead of answering: the account is not signed in.`,
    hint: "Check the credentials, and that the service's url is the final one: redirects are never followed.",
  };
}

/**
 * Where a redirect points, and what has moved there. The same path elsewhere is left out, because the service is there, whatever
 * was asked for.
 */
export function movedTo(target: string, status: number, asked: string): { location: string; moved: Redirect["moved"] } {
  if (asked.length > 1 && target.endsWith(asked) && target !== asked)
    return { location: target.slice(0, -asked.length), moved: "service" };
  return { location: target, moved: lasting.includes(status) ? "object" : undefined };
}
