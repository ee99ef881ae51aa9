import { isObject } from "../../core/text/json.ts";
import { type Answer, decodeJson, jsonIfAny } from "../http/answer.ts";
import type { Failure } from "../http/outcome.ts";
import { authorization, type Protocol, signInFailure } from "../http/protocol.ts";

/** Protocol of the issue tracker. @see docs/api/tracker.md, requests */
export const trackerProtocol: Protocol = {
  headers: (_service, credentials) => ({ accept: "application/json", ...authorization(credentials) }),
  failure: trackerFailure,
  decode: decodeJson,
  cookies: true,
};

/**
 * Errors are `{errorMessages, errors}`, those of the token plugin `{errorMessage}`, and those of the server around both
 * `{message}`, which says nothing about an object.
 * @see docs/facts.md, across services; docs/facts.md, tracker and wiki: null for uri
 */
function trackerFailure(answer: Answer): Failure | undefined {
  const refused = signInFailure(answer);
  if (refused !== undefined || answer.status < 300) return refused;
  const body = jsonIfAny(answer);
  if (!isObject(body)) return { status: answer.status, own: false };
  const said = messages(body).join("; ");
  const around = typeof body.message === "string" ? body.message : undefined;
  return { status: answer.status, said: said || around, own: said !== "" };
}

function messages({ errorMessages, errors, errorMessage }: Readonly<Record<string, unknown>>): readonly string[] {
  const general: readonly unknown[] = Array.isArray(errorMessages) ? errorMessages : [errorMessage];
  const ofFields = isObject(errors) ? Object.entries(errors).map(([field, message]) => `${field}: ${message}`) : [];
  return [...general, ...ofFields].filter((text) => typeof text === "string");
}
