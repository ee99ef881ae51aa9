import type { RequestEvent } from "../clients/http/request-events.ts";

/** Requests sent to a service so far, every attempt counted. */
export interface RequestCount {
  readonly reads: number;
  readonly writes: number;
}

/** What a service is asked at a moment. */
export interface Activity extends RequestCount {
  /** Requests that were sent and are not answered. */
  readonly inFlight: number;
  /** Requests that are sent again later. */
  readonly waiting: number;
  /** When the last of them is, in milliseconds since 1970; undefined if none waits. */
  readonly waitingUntil?: number | undefined;
  /** Whether the service said that it takes no more requests until then. */
  readonly isLimited: boolean;
}

/** A service that is not asked anything yet. */
export const quiet: Activity = { reads: 0, writes: 0, inFlight: 0, waiting: 0, isLimited: false };

/** The activity after an event. A request counts once it has ended, every attempt for itself. */
export function activityAfter(activity: Activity, event: RequestEvent): Activity {
  switch (event.is) {
    case "sent":
      return { ...activity, inFlight: activity.inFlight + 1 };
    case "ended": {
      const ended = { ...activity, inFlight: activity.inFlight - 1 };
      // What was not sent is no request.
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
