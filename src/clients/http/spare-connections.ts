import { Socket } from "node:net";
import type { buildConnector } from "undici";
import type { Clock } from "./clock.ts";

type Connector = buildConnector.connector;

/** Milliseconds that a connection may wait for its request: no server gives up so soon on one that it has just accepted. */
const longestWait = 1000;

interface Spare {
  readonly origin: string;
  /** The connection, once it is made. */
  ready?: Socket;
  /** It is not closed any more for having waited. */
  keep(): void;
}

/**
 * A connector that has the next connection ready: whenever it is asked for one it begins another, as long as it has fewer
 * than the requests that are `waiting`. What failed or was closed is not missed: without one that is ready it connects.
 * @see docs/decisions/wire.md
 */
export function withSpares(
  connect: Connector,
  waiting: () => number,
  clock: Clock,
): { readonly connect: Connector; readonly close: () => void } {
  const spares = new Map<Socket, Spare>();

  function begin(target: buildConnector.Options, origin: string): void {
    const spare: Spare = { origin, keep() {} };
    // By its type undici's connector returns nothing.
    const socket: unknown = connect(target, (error, ready) => {
      if (error !== null) return;
      spare.ready = ready;
      spare.keep = clock.timeout(longestWait, () => ready.destroy());
    });
    if (!(socket instanceof Socket)) return;
    spares.set(socket, spare);
    socket.once("close", () => {
      spare.keep();
      spares.delete(socket);
    });
  }

  function take(origin: string): Socket | undefined {
    for (const [socket, spare] of spares) {
      if (spare.ready === undefined || spare.origin !== origin) continue;
      // What a server says before it is asked, such as 408, would be read as the answer.
      if (socket.readableLength > 0 || !socket.writable) {
        socket.destroy();
        continue;
      }
      spare.keep();
      spares.delete(socket);
      return socket;
    }
    return undefined;
  }

  return {
    connect(target, done) {
      const origin = `${target.protocol}//${target.hostname}:${target.port}`;
      const socket = take(origin);
      if (socket === undefined) connect(target, done);
      // undici does not expect it before its call has returned.
      else queueMicrotask(() => done(null, socket));
      if (spares.size < waiting()) begin(target, origin);
    },
    close() {
      for (const socket of spares.keys()) socket.destroy();
    },
  };
}
