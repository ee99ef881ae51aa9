import { Agent, buildConnector, type Dispatcher, EnvHttpProxyAgent } from "undici";
import type { Effect } from "../../core/operation.ts";
import { ProblemError } from "../../core/problem.ts";
import type { Environment } from "../credentials.ts";
import type { Clock } from "./clock.ts";
import { compileParser } from "./parser.ts";
import { lookupOnce } from "./shared-lookup.ts";
import { withSpares } from "./spare-connections.ts";
import { trustedCertificates } from "./trusted-certificates.ts";

interface Agents {
  readonly agents: Readonly<Record<Effect, Dispatcher>>;
  readonly close: () => Promise<void>;
}

export interface AgentOptions {
  readonly env: Environment;
  readonly clock: Clock;
  /** Carries the requests instead of connections of our own. */
  readonly dispatcher?: Dispatcher | undefined;
  /** How many requests are waiting for their turn. For each, a connection for a write can be made ahead. */
  readonly waiting?: (() => number) | undefined;
}

/**
 * Returns what carries the requests: the given dispatcher, which stays open, or connections through the proxy that the
 * environment names. Throws `ProblemError`: SP3102 for a proxy that is not a URL, SP3106 for a `SETPOINT_CA_FILE` that
 * cannot be read.
 */
export function agentsOf(timeout: number, options: AgentOptions): Agents {
  const { dispatcher } = options;
  if (dispatcher !== undefined) return { agents: { read: dispatcher, write: dispatcher }, close: async () => {} };
  return openAgents(timeout, options);
}

/**
 * Reads share kept-alive connections. Each write has a connection of its own: the server might close an idle connection
 * while a request is on its way, and then no one can tell whether the request was carried out.
 */
function openAgents(timeout: number, { env, clock, waiting = () => 0 }: AgentOptions): Agents {
  compileParser();
  const ca = env.SETPOINT_CA_FILE === undefined ? undefined : trustedCertificates(env.SETPOINT_CA_FILE);
  const tls = ca === undefined ? {} : { ca };
  // Half of the time is for connecting, so that a connection that never came up is distinguished from a lost answer.
  const connectTimeout = Math.ceil(timeout / 2);
  try {
    const options = {
      connect: { ...tls, timeout: connectTimeout, lookup: lookupOnce },
      connectTimeout,
      requestTls: tls,
      proxyTls: { ...tls, lookup: lookupOnce },
      // The only time limit is that of each request.
      headersTimeout: 0,
      bodyTimeout: 0,
      // Empty rather than left out: otherwise undici reads the environment of the process.
      httpProxy: env.http_proxy ?? env.HTTP_PROXY ?? "",
      httpsProxy: env.https_proxy ?? env.HTTPS_PROXY ?? env.http_proxy ?? env.HTTP_PROXY ?? "",
      noProxy: `localhost,127.0.0.1,[::1],${env.no_proxy ?? env.NO_PROXY ?? ""}`,
    };
    const isDirect = options.httpProxy === "" && options.httpsProxy === "";
    const Connecting = isDirect ? Agent : EnvHttpProxyAgent;
    const spares = withSpares(buildConnector({ ...options.connect, allowH2: false }), waiting, clock);
    const connect = isDirect ? spares.connect : options.connect;
    const read = new Connecting(options);
    const write = new Connecting({ ...options, connect, allowH2: false });
    return {
      agents: { read, write },
      async close() {
        await Promise.all([read.close(), write.close()]);
        spares.close();
      },
    };
  } catch {
    throw new ProblemError({
      code: "SP3102",
      message: "The proxy in the environment is not a URL.",
      hint: "Check HTTP_PROXY and HTTPS_PROXY: http://host:port.",
    });
  }
}
