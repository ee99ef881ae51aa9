import { isObject } from "../../core/text/json.ts";
import { seraphProtocol } from "../seraph.ts";

/**
 * Protocol of the wiki. Errors are `{statusCode, data, message}`, those of the token plugin `{errorMessage}`.
 * @see docs/api/wiki.md, requests; docs/facts.md, across services
 */
export const wikiProtocol = seraphProtocol((body, status) => {
  const said = isObject(body) ? (body.message ?? body.errorMessage) : undefined;
  const own = isObject(body) && (body.statusCode === status || body.errorMessage !== undefined);
  return { said: typeof said === "string" ? said : undefined, own };
});
