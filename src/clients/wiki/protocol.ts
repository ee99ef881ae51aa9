import { isObject } from "../../core/text/json.ts";
import { type Answer, decodeJson, jsonIfAny } from "../http/answer.ts";
import type { Failure } from "../http/outcome.ts";
import { authorization, type Protocol, signInFailure } from "../http/protocol.ts";

/** Protocol of the wiki. @see docs/api/wiki.md, requests */
export const wikiProtocol: Protocol = {
  headers: (_service, credentials) => ({ accept: "application/json", ...authorization(credentials) }),
  failure: wikiFailure,
  decode: decodeJson,
  cookies: true,
};

/**
 * Errors are `{statusCode, data, message}`, those of the token plugin `{errorMessage}`.
 * @see docs/facts.md, across services
 */
function wikiFailure(answer: Answer): Failure | undefined {
  const refused = signInFailure(answer);
  if (refused !== undefined || answer.status < 300) return refused;
  const body = jsonIfAny(answer);
  const said = isObject(body) ? (body.message ?? body.errorMessage) : undefined;
  const own = isObject(body) && (body.statusCode === answer.status || body.errorMessage !== undefined);
  return { status: answer.status, said: typeof said === "string" ? said : undefined, own };
}
