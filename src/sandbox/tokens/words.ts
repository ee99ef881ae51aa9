import { STATUS_CODES } from "node:http";
import type { Answered, Reply } from "../exchange.ts";
import type { Refusal } from "../refusal.ts";

/** The default messages of the tracker and the wiki. @see docs/facts.md, tracker and wiki */
const words: Readonly<Record<number, string>> = { 404: "null for uri", 405: "HTTP 405 Method Not Allowed" };

/** Successes carry `Retry-After: 0`; an answer with a type of its own is not JSON. @see docs/facts.md, Across services */
export function encodeAs(contentType: string) {
  return ({ status = 200, headers, body = "" }: Answered): Reply => ({
    status,
    headers: { "retry-after": "0", "content-type": contentType, ...headers },
    body: status === 204 || (typeof body === "string" && headers !== undefined) ? String(body) : JSON.stringify(body),
  });
}

/**
 * A refusal of a service with the token plugin, in the words of that service. The plugin words its errors itself, and
 * gives them as details.
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
