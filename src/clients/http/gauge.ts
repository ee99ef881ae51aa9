import { type Measured, type Quota, quotaAfter } from "../../core/run/quota.ts";
import { type Answer, header } from "./answer.ts";
import type { Clock } from "./clock.ts";

/** Measures the requests to one service. */
export function openGauge(clock: Pick<Clock, "now">) {
  let [requests, milliseconds, underWay, since] = [0, 0, 0, 0];
  let quota: Quota | undefined;
  return {
    async during<T>(request: () => Promise<T>): Promise<T> {
      if (underWay++ === 0) since = clock.now();
      try {
        return await request();
      } finally {
        requests++;
        if (--underWay === 0) milliseconds += clock.now() - since;
      }
    },
    note(told: Quota | undefined): void {
      if (told !== undefined) quota = quotaAfter(quota, told);
    },
    get measured(): Measured {
      return { requests, milliseconds, quota };
    },
  };
}

/** The latest time that a `Date` can represent, in seconds since 1970. */
const latestSecond = 8.64e12;

/** The quota in an answer's `x-ratelimit-*`, if it is the general one and makes sense. @see docs/facts.md, hosting */
export function quotaIn(answer: Answer): Quota | undefined {
  const [limit, remaining, reset] = ["limit", "remaining", "reset"].map((name) => {
    const text = header(answer, `x-ratelimit-${name}`) ?? "";
    return /^\d{1,13}$/.test(text) ? Number(text) : undefined;
  });
  const resource = header(answer, "x-ratelimit-resource") ?? "core";
  if (limit === undefined || remaining === undefined || reset === undefined || resource !== "core") return undefined;
  return reset > latestSecond ? undefined : { limit, remaining, resets: new Date(reset * 1000).toISOString() };
}
