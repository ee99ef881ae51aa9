import { type Answer, decodeJson, header, jsonIfAny } from "./http/answer.ts";
import type { Failure } from "./http/outcome.ts";
import { authorization, type Protocol } from "./http/protocol.ts";

/**
 * The protocol of the tracker and the wiki, which sign in by the same software. `errorIn` reads an error in the service's own
 * form from the JSON of an answer, if that is JSON.
 */
export function seraphProtocol(errorIn: (body: unknown, status: number) => Pick<Failure, "said" | "own">): Protocol {
  return {
    headers: (_service, credentials) => ({ accept: "application/json", ...authorization(credentials) }),
    failure(answer) {
      const { status } = answer;
      const refused = signInFailure(answer);
      return refused !== undefined || status < 300 ? refused : { status, ...errorIn(jsonIfAny(answer), status) };
    },
    decode: decodeJson,
    cookies: true,
  };
}

/**
 * The failure of an answer that says that its request was not signed in. Its status is 401 whatever the service's is, which
 * can be 200: the service then shows what anyone may see, so that a list is not all there is, and what it lacks not absent.
 * @see docs/facts.md, tracker and wiki: X-Seraph-LoginReason
 * @see docs/facts.md, tracker and wiki: administrators can disable Basic authentication
 */
function signInFailure(answer: Answer): Failure | undefined {
  const denied = header(answer, "x-authentication-denied-reason");
  const reasons = [answer.headers["x-seraph-loginreason"] ?? []].flat();
  if (denied !== undefined || reasons.includes("AUTHENTICATION_DENIED"))
    return {
      status: 401,
      said: `sign-in is denied until a CAPTCHA is solved (${denied ?? "AUTHENTICATION_DENIED"})`,
      // Asking again makes it worse.
      hint: "Sign in to this account in a browser and solve the CAPTCHA. Correct the credentials before the next run.",
    };
  const { status } = answer;
  const disabled = status === 403 && /Basic Authentication has been disabled/i.exec(answer.body.toString("utf8"))?.[0];
  if (disabled)
    return {
      status: 401,
      said: disabled,
      hint: "Make a personal access token, and set it as the service's TOKEN, without USERNAME and PASSWORD.",
    };
  const isReported = status === 401 || status === 429 || status >= 500;
  if (isReported || reasons.includes("OK") || !reasons.includes("AUTHENTICATED_FAILED")) return undefined;
  return {
    status: 401,
    said: `sign-in failed (AUTHENTICATED_FAILED), and with status ${status} it shows what anyone may see`,
  };
}
