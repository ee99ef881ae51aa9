import { hash, randomUUID } from "node:crypto";
import type { Clock } from "../../clients/http/clock.ts";
import { type Gate, type PaceOf, paceBy, placesOf } from "../../clients/http/pace.ts";
import { keys, type QueueConnection } from "./redis.ts";

/*
 * Places of requests under way are in one set, with the moment at which a process that has died no longer counts; those of
 * answered requests in the other, with the moment at which they are free. By the clock of Redis alone. What Redis remembered
 * when it stopped may lack the last moment, so a place is given only when everything from before would be over.
 */
const take = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local most, hold, lease = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local up = tonumber(string.match(redis.call('INFO', 'server'), 'uptime_in_seconds:(%d+)')) * 1000
if up < hold + 1000 then return hold + 1000 - up end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
if redis.call('ZCARD', KEYS[1]) + redis.call('ZCARD', KEYS[2]) < most then
  redis.call('ZADD', KEYS[1], now + lease, ARGV[4])
  redis.call('PEXPIRE', KEYS[1], lease)
  return 0
end
local first = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')
return math.max(1, math.min(hold, first[2] and first[2] - now or hold))
`;
const leave = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if redis.call('ZREM', KEYS[1], ARGV[2]) == 1 then
  redis.call('ZADD', KEYS[2], now + ARGV[1], ARGV[2])
  redis.call('PEXPIRE', KEYS[2], ARGV[1])
end
return 0
`;

/** The paces of services over all processes that share a queue. @see docs/decisions/queue.md */
export function sharedPaces({ redis, asked }: QueueConnection, clock: Clock): PaceOf {
  return ({ url, limits: { requestsPerSecond, timeout } }) => {
    if (requestsPerSecond === undefined) return undefined;
    const { most, hold } = placesOf(requestsPerSecond);
    const key = keys.pace(hash("sha256", url).slice(0, 24));
    const [underWay, answered] = [`${key}:under-way`, `${key}:answered`];
    // A request is over after its time for connecting and answering, or its process is dead.
    const lease = timeout + hold;
    const gate: Gate = {
      async take(signal) {
        const id = randomUUID();
        const given = asked(redis.eval(take, 2, underWay, answered, most, hold, lease, id));
        const wait = await unlessAborted(given, signal);
        if (wait === undefined) return { is: "full", wait: 0 };
        if (Number(wait) > 0) return { is: "full", wait: Number(wait) };
        // Nobody waits for it: a place that Redis does not hear of is free when its lease ends.
        return { is: "taken", leave: () => void redis.eval(leave, 2, underWay, answered, hold, id).catch(() => {}) };
      },
    };
    return paceBy(gate, clock);
  };
}

/** What comes first: the value, or undefined after an interrupt. */
function unlessAborted<T>(value: Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
  if (signal === undefined) return value;
  return new Promise((resolve, reject) => {
    const end = () => resolve(undefined);
    signal.addEventListener("abort", end, { once: true });
    value.then(resolve, reject).finally(() => signal.removeEventListener("abort", end));
  });
}
