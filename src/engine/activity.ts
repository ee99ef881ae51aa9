import type { RequestEvent } from "../clients/http/request-events.ts";

/** Requests sent to a service so far, counting every attempt. */
export interface RequestCount {
  readonly reads: number;
  readonly writes: number;
}

/** The requests of a service at a moment. */
export interface Activity extends RequestCount {
  /** Requests that were sent and not yet answered. */
  readonly inFlight: number;
  /** Requests that will be sent again later. */
  readonly waiting: number;
  /** When the last of them will be sent, in milliseconds since 1970; undefined if none waits. */
  readonly waitingUntil?: number | undefined;
  /** Whether the service said that it accepts no more requests until then. */
  readonly isLimited: boolean;
  /** The operation whose effect is awaited, such as a restart; undefined if none is. */
  readonly awaiting?: string | undefined;
}

/** The activity of a service that has had no request yet. */
export const quiet: Activity = { reads: 0, writes: 0, inFlight: 0, waiting: 0, isLimited: false };

/** Returns the activity after an event. A request counts once it has ended, and each attempt counts separately. */
export function activityAfter(activity: Activity, event: RequestEvent): Activity {
  switch (event.is) {
    case "sent":
      return { ...activity, inFlight: activity.inFlight + 1 };
    case "ended": {
      const ended = { ...activity, inFlight: activity.inFlight - 1 };
      // A request that was not sent does not count.
      if (event.result === "refused" || event.result === "final") return ended;
      return event.request.effect === "read"
        ? { ...ended, reads: activity.reads + 1 }
        : { ...ended, writes: activity.writes + 1 };
    }
    case "waiting":
      return {
        ...activity,
        waiting: activity.waiting + 1,
        waitingUntil: Math.max(activity.waitingUntil ?? 0, event.until),
        isLimited: activity.isLimited || event.limit,
      };
    case "resumed": {
      const waiting = activity.waiting - 1;
      return waiting > 0
        ? { ...activity, waiting }
        : { ...activity, waiting, waitingUntil: undefined, isLimited: false };
    }
  }
}
