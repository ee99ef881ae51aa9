import { hash, randomUUID } from "node:crypto";
import type { Clock } from "../../clients/http/clock.ts";
import { type Gate, type PaceOf, paceBy, placesOf } from "../../clients/http/pace.ts";
import { keys, type QueueConnection } from "./redis.ts";

/*
 * Places of requests under way are in one set, each with the time from which it no longer counts if its process has died. Places
 * of answered requests are in the other, each with the time at which it is free. All times are by the clock of Redis. A Redis
 * that stopped may have lost its last moment, so after a start no place is given until everything from before would be over.
 * A clock that was set back must not keep a place for longer, and Redis counts its uptime by the same clock: it can be negative.
 */
const take = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local most, hold, lease = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local up = tonumber(string.match(redis.call('INFO', 'server'), 'uptime_in_seconds:(-?%d+)')) * 1000
if up >= 0 and up < hold + 1000 then return hold + 1000 - up end
for _, late in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. now + hold, '+inf')) do
  redis.call('ZADD', KEYS[2], now + hold, late)
end
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

/** Returns the paces of services, shared by all processes that share a queue. @see docs/decisions/queue.md */
export function sharedPaces({ redis, asked }: QueueConnection, clock: Clock): PaceOf {
  return ({ url, limits: { requestsPerSecond, timeout } }) => {
    if (requestsPerSecond === undefined) return undefined;
    const { most, hold } = placesOf(requestsPerSecond);
    const key = keys.pace(hash("sha256", url).slice(0, 24));
    const [underWay, answered] = [`${key}:under-way`, `${key}:answered`];
    // After the time for connecting and answering, a request is over or its process is dead.
    const lease = timeout + hold;
    const gate: Gate = {
      async take(signal) {
        const id = randomUUID();
        const given = asked(redis.eval(take, 2, underWay, answered, most, hold, lease, id));
        const wait = await unlessAborted(given, signal);
        if (wait === undefined) return { is: "full", wait: 0 };
        if (Number(wait) > 0) return { is: "full", wait: Number(wait) };
        // Not awaited: if Redis does not receive it, the place is free when its lease ends.
        return { is: "taken", leave: () => void redis.eval(leave, 2, underWay, answered, hold, id).catch(() => {}) };
      },
    };
    return paceBy(gate, clock);
  };
}

/** Resolves to the value, or to undefined if an interrupt comes first. */
function unlessAborted<T>(value: Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
  if (signal === undefined) return value;
  return new Promise((resolve, reject) => {
    const end = () => resolve(undefined);
    signal.addEventListener("abort", end, { once: true });
    value.then(resolve, reject).finally(() => signal.removeEventListener("abort", end));
  });
}
