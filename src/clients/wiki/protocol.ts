import { isObject } from "../../core/text/json.ts";
import { type Answer, decodeJson, jsonIfAny } from "../http/answer.ts";
import type { Failure } from "../http/outcome.ts";
import { authorization, captchaFailure, type Protocol } from "../http/protocol.ts";

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
  const captcha = captchaFailure(answer);
  if (captcha !== undefined || answer.status < 300) return captcha;
  const body = jsonIfAny(answer);
  const said = isObject(body) ? (body.message ?? body.errorMessage) : undefined;
  const own = isObject(body) && (body.statusCode === answer.status || body.errorMessage !== undefined);
  return { status: answer.status, said: typeof said === "string" ? said : undefined, own };
}
