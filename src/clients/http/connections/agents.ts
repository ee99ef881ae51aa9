import { lookup as systemLookup } from "node:dns";
import { createRequire } from "node:module";
import { type LookupFunction, Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { Agent, buildConnector, type Dispatcher, EnvHttpProxyAgent } from "undici";
import { z } from "zod";
import { once } from "../../../core/once.ts";
import type { Effect } from "../../../core/operation.ts";
import { ProblemError } from "../../../core/problem.ts";
import type { Service } from "../../../core/service.ts";
import { type ClientCertificate, clientCertificate } from "../../credentials/client-certificate.ts";
import type { Environment } from "../../credentials/credentials.ts";
import type { Clock } from "../clock.ts";
import { withSpares } from "./spare-connections.ts";
import { trustedCertificates } from "./trusted-certificates.ts";

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
 * environment names. Only the service's own origin is shown its client certificate.
 *
 * Throws `ProblemError`: SP3102 for a proxy that is not a URL, SP3106 for a `SETPOINT_CA_FILE` that cannot be read, and what
 * `clientCertificate` throws.
 */
export function agentsOf(service: Service, options: AgentOptions) {
  const { dispatcher } = options;
  if (dispatcher !== undefined) return { agentOf: () => dispatcher, close: async () => {} };
  const { timeout } = service.limits;
  const certificate = clientCertificate(service, options.env);
  const others = openAgents(timeout, options);
  const own = certificate === undefined ? others : openAgents(timeout, options, certificate);
  const { origin } = new URL(service.url);
  return {
    agentOf: (target: string, effect: Effect): Dispatcher => (target === origin ? own : others).agents[effect],
    async close() {
      await Promise.all(Array.from(new Set([own, others]), ({ close }) => close()));
    },
  };
}

/**
 * Reads share kept-alive connections. Each write has a connection of its own: the server might close an idle connection
 * while a request is on its way, and then no one can tell whether the request was carried out.
 */
function openAgents(timeout: number, { env, clock, waiting = () => 0 }: AgentOptions, certificate?: ClientCertificate) {
  compileParser();
  const tls = env.SETPOINT_CA_FILE ? { ca: trustedCertificates(env.SETPOINT_CA_FILE) } : {};
  // Half of the time is for connecting, so that a connection that never came up is distinguished from a lost answer.
  const connectTimeout = Math.ceil(timeout / 2);
  try {
    const options = {
      connect: { ...tls, ...certificate, timeout: connectTimeout, lookup: lookupOnce },
      connectTimeout,
      requestTls: { ...tls, ...certificate },
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
    const connector = (allowH2: boolean) => closingAtErrors(buildConnector({ ...options.connect, allowH2 }));
    const spares = withSpares(connector(false), waiting, clock);
    const read = new Connecting(isDirect ? { ...options, connect: connector(true) } : options);
    const write = new Connecting({ ...options, ...(isDirect && { connect: spares.connect }), allowH2: false });
    return {
      agents: { read, write },
      async close() {
        await Promise.all([read.destroy(), write.destroy()]);
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

/**
 * A connector whose connections close at their first error. With TLS 1.3 a server refuses a client certificate only after the
 * handshake, and undici would report the end that follows instead of the reason.
 */
function closingAtErrors(connect: buildConnector.connector): buildConnector.connector {
  return (target, done) => {
    // By its type undici's connector returns nothing.
    const socket: unknown = connect(target, done);
    if (socket instanceof Socket) socket.on("error", () => socket.destroy());
    return socket;
  };
}

/**
 * Compiles the WebAssembly module with which undici parses answers before undici does, so that V8 recompiles it for speed
 * only after hundreds of answers, not after twenty. V8 shares code between modules with the same bytes, so undici gets
 * this code as long as the module is kept. The flag takes effect when the code is made, and is then set back to its
 * default.
 * @see docs/decisions/wire.md
 */
const compileParser = once(() => {
  const bytes = z.instanceof(Uint8Array).parse(createRequire(import.meta.url)("undici/lib/llhttp/llhttp_simd-wasm.js"));
  setFlagsFromString("--wasm-tiering-budget=2000000000");
  try {
    return new WebAssembly.Module(bytes);
  } catch {
    // The processor lacks the instructions: undici uses another build of the parser.
    return undefined;
  } finally {
    setFlagsFromString("--wasm-tiering-budget=13000000");
  }
});

/**
 * Looks up a name once for all callers that ask for it meanwhile. A lookup cannot be cancelled, and Node runs two
 * concurrently. Without sharing, each connection to a name whose server is silent would delay the lookups for other
 * services, and the end of the process.
 */
export function sharedLookup(lookup: LookupFunction): LookupFunction {
  const underWay = new Map<string, Parameters<LookupFunction>[2][]>();
  return (name, options, done) => {
    const key = JSON.stringify([name, options]);
    const others = underWay.get(key);
    if (others !== undefined) return void others.push(done);
    const asking = [done];
    underWay.set(key, asking);
    lookup(name, options, (...found) => {
      underWay.delete(key);
      for (const tell of asking) tell(...found);
    });
  };
}

/** The lookups of all connections of the process. */
const lookupOnce = sharedLookup(systemLookup);
