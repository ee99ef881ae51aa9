import { isObject } from "../../core/text/json.ts";
import { seraphProtocol } from "../seraph.ts";

/**
 * Protocol of the issue tracker. Errors are `{errorMessages, errors}`, those of the token plugin `{errorMessage}`, and those of
 * the server around both `{message}`, which says nothing about an object.
 * @see docs/api/tracker.md, requests; docs/facts.md, across services; docs/facts.md, tracker and wiki: null for uri
 */
export const trackerProtocol = seraphProtocol((body) => {
  if (!isObject(body)) return { own: false };
  const said = messages(body).join("; ");
  const around = typeof body.message === "string" ? body.message : undefined;
  return { said: said || around, own: said !== "" };
});

function messages({ errorMessages, errors, errorMessage }: Readonly<Record<string, unknown>>): readonly string[] {
  const general: readonly unknown[] = Array.isArray(errorMessages) ? errorMessages : [errorMessage];
  const ofFields = isObject(errors) ? Object.entries(errors).map(([field, message]) => `${field}: ${message}`) : [];
  return [...general, ...ofFields].filter((text) => typeof text === "string");
}
