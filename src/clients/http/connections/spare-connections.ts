import { Socket } from "node:net";
import type { buildConnector } from "undici";
import type { Clock } from "../clock.ts";

/** Milliseconds that a connection waits for its request. No server gives up so soon on one that it has just accepted. */
const longestWait = 1000;

interface Spare {
  readonly origin: string;
  /** The connection, once it is made. */
  ready?: Socket;
  /** Cancels the timer that closes an unused connection. */
  keep(): void;
}

/**
 * Wraps a connector so that it has the next connection ready. Whenever it is asked for a connection, it begins another,
 * as long as it has fewer of them than there are requests `waiting`. One that failed or was closed is not missed: if none
 * is ready, it connects.
 * @see docs/decisions/wire.md
 */
export function withSpares(connect: buildConnector.connector, waiting: () => number, clock: Clock) {
  const spares = new Map<Socket, Spare>();

  function begin(target: buildConnector.Options, origin: string): void {
    const spare: Spare = { origin, keep() {} };
    // By its type, undici's connector returns nothing.
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
      // Data that a server sends before the request, such as a 408, would be read as the answer.
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
    connect(target: buildConnector.Options, done: buildConnector.Callback): void {
      const origin = `${target.protocol}//${target.hostname}:${target.port}`;
      const socket = take(origin);
      if (socket === undefined) connect(target, done);
      // undici does not expect the callback before its own call has returned.
      else queueMicrotask(() => done(null, socket));
      if (spares.size < waiting()) begin(target, origin);
    },
    close() {
      for (const socket of spares.keys()) socket.destroy();
    },
  };
}
