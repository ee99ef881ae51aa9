import type { ConnectOptions } from "../clients/connect.ts";
import type { Measured } from "../clients/http/gauge.ts";
import type { PaceOf } from "../clients/http/pace.ts";
import type { RequestEvent } from "../clients/http/request-events.ts";
import { isObject, type JsonObject } from "../core/json.ts";
import { entriesOf, type ReadLiveList } from "../core/live-list.ts";
import type { AnyReader } from "../core/operation.ts";
import { ProblemError } from "../core/problem.ts";
import type { Service } from "../core/service.ts";
import type { Sink } from "../core/sink.ts";
import { type Activity, activityAfter, quiet, type RequestCount } from "./activity.ts";
import type { Readings } from "./readings/readings.ts";
import type { ReadHeld } from "./secrets/held.ts";
import { openSignIns } from "./secrets/sign-in.ts";

/** Open sessions, and how to close them. */
export interface OpenSessions {
  readonly sessions: ReadonlyMap<string, Session>;
  close(): Promise<void>;
}

/** How to connect. */
export interface ConnectionSettings
  extends Pick<ConnectOptions, "stopping" | "env" | "clock" | "dispatcher" | "pageAll" | "onRequest"> {
  readonly signal: AbortSignal;
  /** When requests are sent, shared by all connections; each has a pace of its own unless given. */
  readonly pace?: PaceOf;
  /** Where answers with entity tags are kept; for the life of a connection unless given. */
  readonly readings?: Readings | undefined;
  /** `false`: a call ends with its answer and does not wait for its effect. */
  readonly awaits?: false;
  /** Paths of files that secrets are delivered to: no service gets what is in them. */
  readonly delivered?: readonly string[];
  /** The secret that a sink holds, if it can be read. */
  readonly held?: ReadHeld;
  /** Called with what a service is asked, whenever that changes. */
  readonly onActivity?: (service: string, activity: Activity) => void;
}

/**
 * Connects to services with the credentials of the environment. A service without usable credentials gets a session
 * that answers every call with the problem, so that its resources are unknown and other services continue.
 *
 * In mode `read` no write can be sent: the connection refuses it.
 */
export async function openSessions(
  services: readonly Service[],
  mode: "read" | "write",
  settings: ConnectionSettings,
): Promise<OpenSessions> {
  const { signal, stopping, env = process.env, dispatcher, pageAll = true, onActivity, onRequest } = settings;
  const { pace, readings, awaits, delivered, held } = settings;
  const { openConnection, readersOf } = await import("../clients/connect.ts");
  const { credentialsFor } = await import("../clients/credentials-for.ts");
  const { secretResolver } = await import("../clients/credentials.ts");
  const { serviceOfRole } = await import("../clients/find-service.ts");
  const { systemClock } = await import("../clients/http/clock.ts");
  const { clock = systemClock } = settings;
  const opened = services.map((service) => {
    try {
      const { wire } = service;
      const { joinReads, awaited } = serviceOfRole(service.role);
      const credentials = credentialsFor(service, env);
      const resolveSecret = secretResolver(env, delivered);
      let activity = quiet;
      const follow = (event: RequestEvent) => {
        activity = activityAfter(activity, event);
        onActivity?.(service.name, activity);
        onRequest?.(event);
      };
      const told = onActivity === undefined && onRequest === undefined ? undefined : follow;
      const means = {
        pageAll,
        signal,
        stopping,
        env,
        resolveSecret,
        clock,
        dispatcher,
        pace: pace?.(service),
        readings: readings?.of,
        onRequest: told,
      };
      const connection = openConnection(service, { mode, credentials, ...means });
      const signIns =
        held &&
        openSignIns({
          held,
          connect: (secret) => openConnection(service, { ...means, mode: "read", credentials, secret }),
          readerOf: (holder) => readersOf(holder, service)(),
          isCounted: credentials.is === "basic",
        });
      const session: Session = {
        reader: readersOf(connection, service),
        ...(signIns === undefined ? {} : { signIn: signIns.signIn }),
        room: () => connection.room(),
        joinsReads: joinReads !== undefined,
        call(operation, args) {
          const seeThrough = awaits === false ? undefined : awaited?.[operation];
          return seeThrough === undefined
            ? connection.call(operation, args)
            : seeThrough(connection.call, { wire, operation, args }, clock, stopping ?? signal);
        },
        get measured() {
          return connection.measured;
        },
        get requests() {
          const { reads = 0, writes = 0 } = signIns?.requests() ?? {};
          return { reads: connection.requests.reads + reads, writes: connection.requests.writes + writes };
        },
      };
      const close = async () => {
        await Promise.all([connection.close(), signIns?.close()]);
      };
      return { name: service.name, session, close };
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      return { name: service.name, session: unusable(error), close: async () => {} };
    }
  });
  return {
    sessions: new Map(opened.map(({ name, session }) => [name, session])),
    close: async () => {
      await Promise.all(opened.map(({ close }) => close()));
      readings?.save();
    },
  };
}

/** The reading half of a service's client, by the service's name. Throws `ProblemError` if it cannot be asked. */
export interface Readers {
  (service: string): AnyReader;
  /** Reads as the owner of the secret that a sink holds; undefined if it holds nothing to sign in with. */
  signIn?(service: string, sink: Sink): Promise<AnyReader | undefined>;
  /** See `Session`; undefined where reads join. */
  room?(service: string): Promise<void> | undefined;
}

/** One reader per service, which all that shares its readings uses. */
export function openReaders(sessions: Sessions): Readers {
  const readers = new Map<string, AnyReader>();
  const owners = new Map<string, Promise<AnyReader | undefined>>();
  function readerOf(service: string): AnyReader {
    const reader = readers.get(service) ?? sessions.get(service)?.reader() ?? {};
    readers.set(service, reader);
    return reader;
  }
  async function signIn(service: string, sink: Sink): Promise<AnyReader | undefined> {
    const key = JSON.stringify([service, sink]);
    const owner = owners.get(key) ?? sessions.get(service)?.signIn?.(sink);
    if (owner !== undefined) owners.set(key, owner);
    return owner;
  }
  function room(service: string): Promise<void> | undefined {
    const session = sessions.get(service);
    return session?.joinsReads === true ? undefined : session?.room?.();
  }
  return Object.assign(readerOf, { signIn, room });
}

/** Reads lists of services with the readers that observe, so that equal reads are one request. */
function liveListReader(readers: Readers): ReadLiveList {
  return async ({ service, list, args }) => {
    const reader = readers(service);
    const read = isObject(reader) ? reader[list.row] : undefined;
    if (typeof read !== "function") throw new Error(`${list.operation} names the row ${list.row}, which is no read.`);
    const answer: unknown = await Reflect.apply(read, undefined, [args]);
    return entriesOf(list, answer);
  };
}

/** Connections that cannot write, opened when they are first needed, with one reader per service for all that is read. */
export interface Connections {
  open(services: readonly Service[]): Promise<OpenSessions & { readonly readers: Readers }>;
  /** Reads lists of the services with the same readers. */
  readonly readLiveList: (services: readonly Service[]) => ReadLiveList;
  close(): Promise<void>;
}

export function connectOnce(settings: ConnectionSettings, openAll = openSessions): Connections {
  let opened: ReturnType<Connections["open"]> | undefined;
  async function connectAll(services: readonly Service[]) {
    const sessions = await openAll(services, "read", settings);
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

function unusable(error: ProblemError): Session {
  return {
    reader: () => {
      throw error;
    },
    call: () => Promise.reject(error),
    requests: { reads: 0, writes: 0 },
  };
}

/** What the engine needs of a connected service. */
export interface Session {
  /** A fresh reading half of the service's client: equal reads of one reader share a request. */
  reader(): AnyReader;
  /** See `SignIns`; left out where no sink can be read. */
  signIn?(sink: Sink): Promise<AnyReader | undefined>;
  /** Returns when so few requests wait for their turn that more should be made. */
  room?(): Promise<void>;
  /** Whether reads become one request if they are made at once, and so should be. */
  readonly joinsReads?: boolean;
  /** Sends one operation, and returns when what its row `awaits` has come. Throws `ProblemError`. */
  call(operation: string, args: JsonObject): Promise<unknown>;
  readonly requests: RequestCount;
  /** What reading told of the service's pace and quota; left out where nobody measures. */
  readonly measured?: Measured;
}

/** The sessions of a run by the service's name. */
export type Sessions = ReadonlyMap<string, Session>;
