import { once } from "node:events";
import { createServer } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { connectQueue } from "../../../src/engine/queue/redis.ts";
import { problemsOf } from "../../support/lab.ts";

/** A Redis that loads a large file: it always says so and refuses everything else. Calls `onAsked` at every request. */
async function loadingRedis(onAsked: () => void) {
  const info = "redis_version:7.2.0\r\nloading:1\r\nloading_eta_seconds:1000\r\n";
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (asked) => {
      for (const command of String(asked).split(/^(?=\*)/m)) {
        const isInfo = /\binfo\b/i.test(command);
        socket.write(isInfo ? `$${info.length}\r\n${info}\r\n` : "-ERR unknown command HELLO\r\n");
        if (isInfo) onAsked();
      }
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const shown = `redis://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  return { place: { url: shown, shown }, [Symbol.dispose]: () => void server.close() };
}

afterEach(() => void vi.restoreAllMocks());

test("waiting for a Redis that loads a large file can be interrupted", async () => {
  const stopping = new AbortController();
  using redis = await loadingRedis(() => stopping.abort());
  for (const forever of [false, true]) {
    const connecting = connectQueue(redis.place, { env: {}, signal: stopping.signal, forever });
    expect(await problemsOf(connecting)).toMatchObject([{ code: "SP5003" }]);
  }
});

test.each([false, true])(
  "a Redis that loads a large file is waited for a minute, and the message says so",
  async (forever) => {
    let now = 0;
    vi.spyOn(Date, "now").mockImplementation(() => (now += 60_000));
    using redis = await loadingRedis(() => {});
    const connecting = connectQueue(redis.place, { env: {}, signal: new AbortController().signal, forever });
    expect(await problemsOf(connecting)).toMatchObject([
      {
        code: "SP5008",
        message: expect.stringContaining("cannot be used (not ready for a minute)."),
        hint: expect.stringContaining("Redis may be loading a large file"),
      },
    ]);
  },
);
