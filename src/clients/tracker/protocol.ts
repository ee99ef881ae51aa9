import { isObject } from "../../core/text/json.ts";
import { type Answer, decodeJson, jsonIfAny } from "../http/answer.ts";
import type { Failure } from "../http/outcome.ts";
import { authorization, captchaFailure, type Protocol } from "../http/protocol.ts";

/** Protocol of the issue tracker. @see docs/api/tracker.md, requests */
export const trackerProtocol: Protocol = {
  headers: (_service, credentials) => ({ accept: "application/json", ...authorization(credentials) }),
  failure: trackerFailure,
  decode: decodeJson,
  cookies: true,
};

/**
 * Errors are `{errorMessages, errors}`, those of the token plugin `{errorMessage}`.
 * @see docs/facts.md, across services; docs/facts.md, tracker and wiki
 */
function trackerFailure(answer: Answer): Failure | undefined {
  const captcha = captchaFailure(answer);
  if (captcha !== undefined || answer.status < 300) return captcha;
  const body = jsonIfAny(answer);
  const said = isObject(body) ? messages(body).join("; ") : undefined;
  return { status: answer.status, said, own: said !== undefined && said !== "" };
}

function messages({ errorMessages, errors, errorMessage }: Readonly<Record<string, unknown>>): readonly string[] {
  const general: readonly unknown[] = Array.isArray(errorMessages) ? errorMessages : [errorMessage];
  const ofFields = isObject(errors) ? Object.entries(errors).map(([field, message]) => `${field}: ${message}`) : [];
  return [...general, ...ofFields].filter((text) => typeof text === "string");
}
