import { z } from "zod";
import type { Problem } from "../../../core/problem.ts";
import { messageOf } from "../../../core/text/reason.ts";
import type { Stage } from "./exchange.ts";
import { schemeHint } from "./tls-problem.ts";

/** What to check if nothing answers at all. */
export const unconnectedHint = "Check the service's url, the network, and HTTPS_PROXY and NO_PROXY.";

/** Where the system was to connect, or whose address it looked up. */
const Peer = z
  .object({ hostname: z.string().optional(), address: z.string().optional(), port: z.number().optional() })
  .catch({});

/** The problem of a broken connection, by how far the request got, and of an answer that is not as HTTP wants it. */
const breaks = {
  connecting: {
    code: "SP3102",
    what: (origin: string) => `No connection to ${origin}`,
    hint: unconnectedHint,
  },
  closed: {
    code: "SP3102",
    what: (origin: string) => `The program has closed its connection to ${origin}, so nothing was sent`,
    hint: "Close a connection after its last call, or make another.",
  },
  sent: {
    code: "SP3102",
    what: (origin: string) => `The connection to ${origin} was lost before the answer`,
    hint: "Try again. If it persists, check the network and the service's log.",
  },
  answering: {
    code: "SP3104",
    what: (origin: string) => `The connection to ${origin} was lost during the answer`,
    hint: "Try again. If it persists, check the proxies and gateways in between.",
  },
  unreadable: {
    code: "SP3103",
    what: (origin: string) => `What ${origin} answers is not valid HTTP`,
    hint: "Another kind of server may be listening at that address.",
  },
  overlong: {
    code: "SP3103",
    what: (origin: string) => `The header fields of the answer from ${origin} are too long`,
    hint: "Find out what adds them, such as a login gateway, or set NODE_OPTIONS=--max-http-header-size=65536.",
  },
} as const satisfies Record<Stage | "closed" | "unreadable" | "overlong", object>;

/** undici's code for a connection that was closed. */
export const closed = "UND_ERR_DESTROYED";

/** undici's words for an answer that breaks the rules of HTTP, or for one that nobody asked for, such as 100. */
const invalid = /^(HTTPParserError|HPE_.*|UND_ERR_RES_CONTENT_LENGTH_MISMATCH|bad response|bad upgrade)$/;

/**
 * The problem of a connection that broke with an error, which may contain what was sent: only its code is shown, and
 * where the system was to connect.
 */
export function breakProblem(
  error: unknown,
  { origin, code, stage }: { readonly origin: string; readonly code: string; readonly stage: Stage },
): Problem {
  const how = breakOf(error, code, stage);
  const { what, hint, ...broken } = breaks[how];
  // A server with TLS ends a connection without it, mostly without a word.
  const isCut = how === "sent" || how === "unreadable";
  const more = isCut && origin.startsWith("http:") ? ` ${schemeHint}` : "";
  return { ...broken, message: `${what(origin)} (${code}${peerOf(error, origin)}).`, hint: hint + more };
}

/** What the system was to reach, in its own words, if that is not the host of the service: the address of that host, or a proxy. */
function peerOf(error: unknown, origin: string): string {
  const { hostname = "", address = hostname, port } = Peer.parse(error);
  const host = address.includes(":") ? `[${address}]` : address;
  if (host === "" || host === new URL(origin).hostname) return "";
  return ` ${host}${port === undefined ? "" : `:${port}`}`;
}

/** Before anything is sent, what comes is not the service's, but a proxy's. */
function breakOf(error: unknown, code: string, stage: Stage): keyof typeof breaks {
  if (stage === "connecting") return code === closed ? "closed" : stage;
  if (code === "UND_ERR_HEADERS_OVERFLOW") return "overlong";
  return invalid.test(code) || invalid.test(messageOf(error)) ? "unreadable" : stage;
}
