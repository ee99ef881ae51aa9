import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { connectQueue } from "../../../src/engine/queue/redis.ts";
import { problemsOf } from "../../support/lab.ts";

const loading = "loading:1\r\nloading_eta_seconds:1000\r\n";

/** A Redis that only says how it is, by default that it loads a large file. Calls `onAsked` whenever it does. */
async function loadingRedis(onAsked: () => void, state = loading) {
  const info = `redis_version:7.2.0\r\n${state}`;
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
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
  const die = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { place: { url: shown, shown }, die, [Symbol.dispose]: () => void server.close() };
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
    vi.spyOn(performance, "now").mockImplementation(() => (now += 60_000));
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

test("an interrupt does not wait for a Redis that is gone", async () => {
  const stopping = new AbortController();
  using server = await loadingRedis(() => {}, "role:master\r\n");
  const { redis, asked, close } = await connectQueue(server.place, { env: {}, signal: stopping.signal });
  server.die();
  await once(redis, "close");
  const unanswered = problemsOf(asked(redis.get("run")));
  stopping.abort();
  expect(await unanswered).toMatchObject([{ code: "SP5003" }]);
  expect(await problemsOf(asked(redis.get("run")))).toMatchObject([{ code: "SP5003" }]);
  await close();
});
