import { STATUS_CODES } from "node:http";
import type { Reply } from "../exchange.ts";
import type { Refusal } from "../refusal.ts";

/** The default messages of the tracker and the wiki. @see docs/facts.md, tracker and wiki */
const words: Readonly<Record<number, string>> = { 404: "null for uri", 405: "HTTP 405 Method Not Allowed" };

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
