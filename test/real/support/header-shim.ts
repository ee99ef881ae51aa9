import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";

/** The version that the shim reports for the server behind it: the oldest one whose answers are like those of Hudson 2.2.1. */
export const shimVersion = "2.100";

/**
 * How long the server may take to begin an answer, in milliseconds. Its `RequestHandlerThread` offers itself for the next request before
 * it waits, without a flag: a request that arrives between the two never wakes it and is never handled. So it is safe to send that request
 * a second time, whatever it does.
 */
const patience = 20_000;

/**
 * Listens on a port in front of a server: JSON gets its current media type, every answer names a version that setpoint works with, and a
 * request that the server forgot is sent again. Nothing else is changed. Returns a function that stops it.
 */
export async function openShim(port: number, backend: number, waits = patience): Promise<() => Promise<void>> {
  async function send(asked: IncomingMessage, body: Buffer, isLast = false): Promise<IncomingMessage> {
    const { method, url, headers } = asked;
    const onward = request({
      ...{ host: "127.0.0.1", port: backend, method, path: url, agent: false },
      // The server has few threads, and one of them waits on each connection that is kept open.
      headers: { ...headers, connection: "close" },
    });
    onward.end(body);
    const isForgotten = AbortSignal.timeout(waits);
    try {
      const [answer] = await once(onward, "response", { signal: isForgotten });
      return answer;
    } catch (error) {
      onward.on("error", () => {}).destroy();
      if (isLast || !isForgotten.aborted) throw error;
      return send(asked, body, true);
    }
  }

  const server = createServer(async (asked, answer) => {
    try {
      const got = await send(asked, await buffer(asked));
      const { "content-type": type, connection: _ours, ...fields } = got.headers;
      answer.writeHead(got.statusCode ?? 502, {
        ...fields,
        ...(type === undefined ? {} : { "content-type": type.replace("application/javascript", "application/json") }),
        "x-jenkins": shimVersion,
      });
      got.pipe(answer);
    } catch {
      answer.destroy();
    }
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
}
