import type { Connection } from "../clients/connect.ts";
import type { Environment } from "../clients/credentials.ts";
import type { Clock } from "../clients/http/clock.ts";
import type { JsonObject } from "../core/json.ts";
import type { ReadLiveList } from "../core/live-list.ts";
import { ProblemError } from "../core/problem.ts";
import type { Service } from "../core/service.ts";
import { liveListReader } from "./live-lists.ts";
import { openReaders, type Readers } from "./observe.ts";
import type { RequestCount, Session } from "./session.ts";

/** Sessions that were opened, and how to end them. */
export interface OpenSessions {
  readonly sessions: ReadonlyMap<string, Session>;
  close(): Promise<void>;
}

/** How to connect. */
export interface ConnectionSettings {
  readonly signal: AbortSignal;
  /** Where credentials, secrets, proxies and certificates are named; that of the process unless given. */
  readonly env?: Environment;
  /** Time and chance; the system's unless given. */
  readonly clock?: Clock;
  /** `false`: a call ends with its answer, and not when what it was asked for has come. */
  readonly awaits?: false;
  /** Told after every call, of all requests sent to the service so far. */
  readonly onRequests?: (service: string, requests: RequestCount) => void;
}

/**
 * Connects to services with the credentials of the environment. A service without usable credentials gets a session
 * that answers everything with the problem, so that its resources are unknown and the other services go on.
 *
 * In mode `read` no write can be sent: the connection refuses it.
 */
export async function openSessions(
  services: readonly Service[],
  mode: "read" | "write",
  { signal, env = process.env, clock, awaits, onRequests }: ConnectionSettings,
): Promise<OpenSessions> {
  const { connect, credentialsFor, reader } = await import("../clients/connect.ts");
  const { secretResolver } = await import("../clients/credentials.ts");
  const { systemClock } = await import("../clients/http/clock.ts");
  const time = clock ?? systemClock;
  const opened = services.map((service) => {
    try {
      const credentials = credentialsFor(service, env);
      const resolveSecret = secretResolver(env);
      const open = connect(service, { mode, credentials, signal, env, resolveSecret, clock: time });
      const connection: Connection = {
        requests: open.requests,
        close: () => open.close(),
        call: (operation, args) =>
          open.call(operation, args).finally(() => onRequests?.(service.name, { ...open.requests })),
      };
      const session: Session = {
        reader: () => reader(connection, service),
        call: (operation, args) =>
          awaits === false
            ? connection.call(operation, args)
            : callAwaited(connection, service, operation, args, time, signal),
        requests: connection.requests,
      };
      return { name: service.name, session, close: () => connection.close() };
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      return { name: service.name, session: unusable(error), close: async () => {} };
    }
  });
  return {
    sessions: new Map(opened.map(({ name, session }) => [name, session])),
    close: async () => {
      await Promise.all(opened.map(({ close }) => close()));
    },
  };
}

/** Connections that cannot write, opened when they are first needed, with one reader per service for all that is read. */
export interface Connections {
  open(services: readonly Service[]): Promise<OpenSessions & { readonly readers: Readers }>;
  /** Reads lists of the services with the same readers. */
  readonly readLiveList: (services: readonly Service[]) => ReadLiveList;
  close(): Promise<void>;
}

export function connectOnce(settings: ConnectionSettings, connect = openSessions): Connections {
  let opened: ReturnType<Connections["open"]> | undefined;
  async function connectAll(services: readonly Service[]) {
    const sessions = await connect(services, "read", settings);
    return { ...sessions, readers: openReaders(sessions.sessions) };
  }
  const open = (services: readonly Service[]) => {
    opened ??= connectAll(services);
    return opened;
  };
  return {
    open,
    readLiveList: (services) => async (request) => liveListReader((await open(services)).readers)(request),
    close: async () => (await opened)?.close(),
  };
}

async function callAwaited(
  connection: Connection,
  { role, wire }: Service,
  operation: string,
  args: JsonObject,
  clock: Clock,
  signal: AbortSignal,
): Promise<unknown> {
  const { serviceOfRole } = await import("../clients/find-service.ts");
  const send = (name: string, given: JsonObject) => connection.call(name, given);
  const awaited = serviceOfRole(role).awaited?.[operation];
  return awaited === undefined ? send(operation, args) : awaited(send, { wire, operation, args }, clock, signal);
}

function unusable(error: ProblemError): Session {
  return {
    reader: () => {
      throw error;
    },
    call: () => Promise.reject(error),
    requests: { reads: 0, writes: 0 },
  };
}
