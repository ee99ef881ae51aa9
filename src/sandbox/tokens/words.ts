import { STATUS_CODES } from "node:http";
import type { Answered, Reply } from "../exchange.ts";
import type { Refusal } from "../refusal.ts";

/** The default messages of the tracker and the wiki. @see docs/facts.md, tracker and wiki */
const words: Readonly<Record<number, string>> = { 404: "null for uri", 405: "HTTP 405 Method Not Allowed" };

/**
 * Returns an encoder of answers. Each success carries `Retry-After: 0`; text with its own header fields is not encoded as
 * JSON. @see docs/facts.md, Across services
 */
export function encodeAs(contentType: string) {
  return ({ status = 200, headers, body = "" }: Answered): Reply => ({
    status,
    headers: { "retry-after": "0", "content-type": contentType, ...headers },
    body: status === 204 || (typeof body === "string" && headers !== undefined) ? String(body) : JSON.stringify(body),
  });
}

/**
 * Encodes a refusal of a service that has the token plugin, in the words of that service. Errors of the plugin come as
 * details, in the plugin's own words.
 */
export function refuseWith(
  { status, said, headers, details }: Refusal,
  contentType: string,
  view: (message: string) => object,
): Reply {
  const message = said ?? words[status] ?? STATUS_CODES[status] ?? "";
  return {
    status,
    headers: { ...headers, "content-type": contentType },
    body: JSON.stringify(details ?? view(message)),
  };
}
