import { Redis } from "ioredis";
import { expect, test } from "vitest";
import { systemClock } from "../../../src/clients/http/clock.ts";
import type { Service } from "../../../src/core/service.ts";
import { sharedPaces } from "../../../src/engine/queue/redis-pace.ts";
import { startRedis } from "./redis.ts";

/** Makes a script see another clock: `TIME` and the uptime are shifted by whole seconds. */
const shifted = (seconds: number) => `
local server = redis
local redis = {call = function(name, ...)
  local answer = server.call(name, ...)
  if name == 'TIME' then return {answer[1] + ${seconds}, answer[2]} end
  if name ~= 'INFO' then return answer end
  return (string.gsub(answer, 'uptime_in_seconds:%d+', function() return 'uptime_in_seconds:' .. ${3600 + seconds} end))
end}
`;

test.each([
  [-1800, "to after its start"],
  [-7200, "to before its start"],
])(
  "a clock of Redis that is set back by %i s, %s, delays the next request by no more than the time of a place",
  async (setBack) => {
    await using server = await startRedis();
    const redis = new Redis(server.port);
    let seconds = 0;
    const seen = new Proxy(redis, {
      get: (target, name) =>
        name === "eval"
          ? (script: string, ...rest: [number, ...string[]]) => target.eval(shifted(seconds) + script, ...rest)
          : Reflect.get(target, name),
    });
    const waits: number[] = [];
    const clock = {
      ...systemClock,
      // The time of a place passes at once for Redis, and only once: a place that is kept for longer is never free.
      async wait(milliseconds: number) {
        waits.push(milliseconds);
        if (waits.length > 2) throw new Error("It waits again.");
        seconds += 2;
      },
    };
    try {
      const asked = <T>(answer: Promise<T>) => answer;
      const connection = { redis: seen, asked, queue: () => expect.fail(), close: async () => {} };
      const service: Service = JSON.parse(
        '{"url":"http://127.0.0.1:1","limits":{"requestsPerSecond":1,"timeout":1000}}',
      );
      const pace = sharedPaces(connection, clock)(service);
      await pace?.(async () => {});
      seconds += setBack;
      let isSent = false;
      await pace?.(async () => {
        isSent = true;
      });
      expect({ isSent, waits: waits.length }).toEqual({ isSent: true, waits: 1 });
    } finally {
      redis.disconnect();
    }
  },
);
