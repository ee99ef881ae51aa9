import { type Answer, header } from "./http/answer.ts";
import type { Failure } from "./http/failure.ts";

/**
 * The failure of an answer that denies the sign-in until a person has solved a CAPTCHA. Its status is 401 whatever the
 * service's is: the account is not signed in, and asking again makes it worse.
 * @see docs/facts.md, tracker and wiki
 */
export function captchaFailure(answer: Answer): Failure | undefined {
  const reason = header(answer, "x-authentication-denied-reason");
  if (reason === undefined) return undefined;
  return {
    status: 401,
    said: `the sign-in is denied until a CAPTCHA is solved (${reason})`,
    hint: "Sign in once in a browser as this account and solve the CAPTCHA; correct the credentials before the next run.",
  };
}
