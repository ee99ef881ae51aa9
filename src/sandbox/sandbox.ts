import { once } from "node:events";
import { appendFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { ProblemError } from "../core/problem.ts";
import { initialWorld } from "./default-world.ts";
import type { Reply } from "./exchange.ts";
import { type Received, type RecordedRequest, readContent, respond } from "./server/respond.ts";
import { WorldStore } from "./server/world-store.ts";
import { parseWorld, SandboxRole, World } from "./world.ts";

/** Re-exported for callers that start a sandbox from a file: this module is the only one that is loaded on demand. */
export { administrator, environmentFor, netrcFor } from "./server/environment.ts";
export { parseWorld } from "./world.ts";

/** The most bytes of request line and header fields that most products accept. @see docs/facts.md, Across services */
const maxHeaderSize = 8192;

const Services = z.record(SandboxRole, z.strictObject({ url: z.url() }));

export interface SandboxOptions {
  /** 0, the default, means any free port. */
  readonly port?: number;
  /** What the services hold at the start; the invented company's world by default. */
  readonly world?: World | undefined;
  /** A directory that keeps the world across restarts; its contents override `world`. */
  readonly stateDir?: string | undefined;
  /** Milliseconds by which every answer is delayed. */
  readonly latency?: number;
  /** A file to which every request is appended, one JSON line per request. */
  readonly log?: string;
}

export interface Sandbox {
  /** Has no trailing slash, like all URLs here. */
  readonly url: string;
  readonly services: Readonly<z.infer<typeof Services>>;
  /** The requests so far, in the order of their responses. */
  requests(): readonly RecordedRequest[];
  /** Empties the list of requests. */
  clear(): void;
  /** A copy of everything the services hold. */
  state(): World;
  /** Answers and records a request that did not come through the port. */
  receive(asked: Asked): Reply;
  /** Changes a copy of the world and makes it current, as if someone had used the services. Throws `ZodError`. */
  change(change: (world: World) => void): void;
  /** Stops immediately; open connections are cut. */
  close(): Promise<void>;
}

type Asked = Pick<Received, "method" | "url" | "headers" | "content">;

/**
 * Starts stateful stand-ins for the services on one port of 127.0.0.1, each at a path named after its role. Throws
 * `ProblemError` if the world in `stateDir` has errors, and the system's error if the port is taken.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { log } = options;
  // An unwritable log is an error of whoever starts the sandbox: it must fail here, not on every request.
  if (log !== undefined) appendFileSync(log, "");
  const requests: RecordedRequest[] = [];
  const store = new WorldStore(
    options.world === undefined ? initialWorld() : structuredClone(options.world),
    options.stateDir,
  );
  const running = (): Running => ({ requests, log, store, latency: options.latency ?? 0, origin: originOf(server) });
  const server = createServer({ maxHeaderSize }, (request, response) => {
    serve(request, response, running()).catch((error: unknown) =>
      response.writeHead(500, { "content-type": "text/plain" }).end(String(error)),
    );
  });
  await once(server.listen(options.port ?? 0, "127.0.0.1"), "listening");
  const url = originOf(server);
  return {
    url,
    services: Services.parse(Object.fromEntries(SandboxRole.options.map((role) => [role, { url: `${url}/${role}` }]))),
    requests: () => [...requests],
    clear() {
      requests.length = 0;
    },
    state: () => structuredClone(store.get()),
    receive: (asked) => answer(asked, running()),
    change(change) {
      const world = structuredClone(store.get());
      change(world);
      store.set(World.parse(world));
    },
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
      }),
  };
}

interface Running {
  readonly requests: RecordedRequest[];
  readonly log: string | undefined;
  readonly store: WorldStore;
  readonly latency: number;
  readonly origin: string;
}

async function serve(request: IncomingMessage, response: ServerResponse, running: Running): Promise<void> {
  const content = await readContent(request);
  if (running.latency > 0) await wait(running.latency);
  const { method = "GET", url = "/", headers } = request;
  const reply = answer({ method, url, headers, content }, running);
  response.writeHead(reply.status, reply.headers).end(reply.body);
}

function answer(asked: Asked, running: Running): Reply {
  const { requests, log, store, origin } = running;
  const { method, url, content } = asked;
  const [pathname = "/"] = url.split("?", 1);
  if (/^\/_sandbox(\/|$)/.test(pathname))
    return control(method, pathname, content.bytes?.toString("utf8") ?? "", running);
  const before = store.get();
  const { reply, record, world } = respond({ ...asked, now: Date.now(), origin }, before);
  if (world !== before) store.set(world);
  requests.push(record);
  if (log !== undefined) appendFileSync(log, `${JSON.stringify(record)}\n`);
  return reply;
}

function originOf(server: Server): string {
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
}

/**
 * Answers the sandbox's own paths, which no service has and which are not recorded: `requests` (GET, DELETE to empty) and
 * `state` (GET, PUT a whole world: 204, or 400 with its problems).
 */
function control(method: string, path: string, body: string, { requests, store }: Running): Reply {
  switch (`${method} ${path}`) {
    case "GET /_sandbox/requests":
      return json(200, requests);
    case "DELETE /_sandbox/requests":
      requests.length = 0;
      return { status: 204, headers: {}, body: "" };
    case "GET /_sandbox/state":
      return json(200, store.get());
    case "PUT /_sandbox/state":
      return putState(body, store);
    default:
      return json(404, { message: `The sandbox has no ${method} ${path}` });
  }
}

function putState(body: string, store: WorldStore): Reply {
  try {
    store.set(parseWorld(body, "body"));
    return { status: 204, headers: {}, body: "" };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return json(400, { problems: error.problems });
  }
}

function json(status: number, value: unknown): Reply {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(value) };
}
