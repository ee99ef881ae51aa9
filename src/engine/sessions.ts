import type { ConnectOptions } from "../clients/connect.ts";
import { secretResolver } from "../clients/credentials/credentials.ts";
import { credentialsFor } from "../clients/credentials/credentials-for.ts";
import { serviceOfRole } from "../clients/find-service.ts";
import { systemClock } from "../clients/http/clock.ts";
import type { PaceOf } from "../clients/http/pace.ts";
import type { RequestEvent } from "../clients/http/request-events.ts";
import { entriesOf, type ReadLiveList } from "../core/live-list.ts";
import { onceEach } from "../core/once.ts";
import type { AnyReader } from "../core/operation.ts";
import { ProblemError } from "../core/problem.ts";
import type { Measured } from "../core/run/quota.ts";
import type { Service } from "../core/service.ts";
import type { Sink } from "../core/sink.ts";
import { isObject, type JsonObject } from "../core/text/json.ts";
import { type Activity, activityAfter, quiet, type RequestCount } from "./activity.ts";
import type { Readings } from "./readings/readings.ts";
import { openSignIns, type SignIns } from "./secrets/sign-in.ts";
import type { ReadHeld } from "./secrets/sink.ts";

/** Open sessions, and how to close them. */
export interface OpenSessions {
  readonly sessions: ReadonlyMap<string, Session>;
  close(): Promise<void>;
}

/** Settings for connecting to services. */
export interface ConnectionSettings
  extends Pick<ConnectOptions, "stopping" | "env" | "clock" | "dispatcher" | "pageAll" | "onRequest"> {
  readonly signal: AbortSignal;
  /** The pace of requests, shared by all connections. Unless given, each connection has a pace of its own. */
  readonly pace?: PaceOf;
  /** Where answers with entity tags are kept. Unless given, each connection keeps them for its own lifetime. */
  readonly readings?: Readings | undefined;
  /** If `false`, a call ends with its answer and does not wait for its effect. */
  readonly awaits?: false;
  /** Paths of files that secrets are delivered to. Their contents are sent to no service. */
  readonly delivered?: readonly string[];
  /** Reads the secret that a sink holds, if possible. */
  readonly held?: ReadHeld;
  /** Called with the activity of a service whenever it changes. */
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
  const { pace, readings, awaits, delivered, held, onActivity, onRequest, ...others } = settings;
  const { signal, stopping, env = process.env, clock = systemClock } = others;
  const { openConnection, readersOf } = await import("../clients/connect.ts");
  const opened = services.map((service) => {
    try {
      const { wire } = service;
      const { joinReads, awaited } = serviceOfRole(service.role);
      const credentials = credentialsFor(service, env);
      const resolveSecret = secretResolver(env, delivered);
      let activity = quiet;
      const note = (next: Activity) => {
        activity = next;
        onActivity?.(service.name, activity);
      };
      const follow = (event: RequestEvent) => {
        note(activityAfter(activity, event));
        onRequest?.(event);
      };
      const told = onActivity === undefined && onRequest === undefined ? undefined : follow;
      const own = { resolveSecret, pace: pace?.(service), readings: readings?.of, onRequest: told };
      const means = { pageAll: true, ...others, env, clock, ...own };
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
        signIn: signIns?.signIn,
        room: () => connection.room(),
        joinsReads: joinReads !== undefined,
        call(operation, args) {
          const seeThrough = awaits === false ? undefined : awaited?.[operation];
          if (seeThrough === undefined) return connection.call(operation, args);
          note({ ...activity, awaiting: operation });
          return seeThrough(connection.call, { wire, operation, args }, clock, stopping ?? signal).finally(() =>
            note({ ...activity, awaiting: undefined }),
          );
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

/** Returns the reading half of a service's client, by the service's name. Throws `ProblemError` if it cannot be used. */
export interface Readers {
  (service: string): AnyReader;
  /** Reads as the owner of the secret that a sink holds; undefined if it holds nothing to sign in with. */
  signIn?(service: string, sink: Sink): Promise<AnyReader | undefined>;
  /** See `Session`; undefined if the service joins reads. */
  room?(service: string): Promise<void> | undefined;
}

/** Opens one reader for each service, shared by everything that shares its readings. */
export function openReaders(sessions: Sessions): Readers {
  const readerOf = onceEach((service: string): AnyReader => sessions.get(service)?.reader() ?? {});
  const ownerOf = onceEach(
    async ([service, sink]: readonly [string, Sink]) => sessions.get(service)?.signIn?.(sink),
    JSON.stringify,
  );
  function room(service: string): Promise<void> | undefined {
    const session = sessions.get(service);
    return session?.joinsReads === true ? undefined : session?.room?.();
  }
  return Object.assign(readerOf, { signIn: (service: string, sink: Sink) => ownerOf([service, sink]), room });
}

/** Reads lists of services with the readers that are used for observing, so that equal reads share one request. */
function liveListReader(readers: Readers): ReadLiveList {
  return async ({ service, list, args }) => {
    const reader = readers(service);
    const read = isObject(reader) ? reader[list.row] : undefined;
    if (typeof read !== "function") throw new Error(`${list.operation} names the row ${list.row}, which is no read.`);
    const answer: unknown = await Reflect.apply(read, undefined, [args]);
    return entriesOf(list, answer);
  };
}

/** Connections that cannot write, opened when first needed, with one shared reader for each service. */
export interface Connections {
  open(services: readonly Service[]): Promise<OpenSessions & { readonly readers: Readers }>;
  /** Reads lists of the services with the same readers. */
  readonly readLiveList: (services: readonly Service[]) => ReadLiveList;
  close(): Promise<void>;
}

export function connectOnce(settings: ConnectionSettings, openAll: typeof openSessions): Connections {
  let opened: ReturnType<Connections["open"]> | undefined;
  const open = (services: readonly Service[]) => {
    opened ??= openAll(services, "read", settings).then((all) => ({ ...all, readers: openReaders(all.sessions) }));
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

/** A connected service as the engine uses it. */
export interface Session {
  /** Returns a new reading half of the service's client. Equal reads of one reader share a request. */
  reader(): AnyReader;
  /** See `SignIns`; left out if no sink can be read. */
  readonly signIn?: SignIns["signIn"] | undefined;
  /** Resolves once so few requests wait for their turn that more should be made. */
  room?(): Promise<void>;
  /** Whether concurrent reads are joined into one request, and so should be made together. */
  readonly joinsReads?: boolean;
  /** Sends one operation, and resolves once its effect has arrived if the service awaits it. Throws `ProblemError`. */
  call(operation: string, args: JsonObject): Promise<unknown>;
  readonly requests: RequestCount;
  /** The service's pace and quota as measured while reading; left out if nothing is measured. */
  readonly measured?: Measured;
}

/** The sessions of a run by the service's name. */
export type Sessions = ReadonlyMap<string, Session>;
