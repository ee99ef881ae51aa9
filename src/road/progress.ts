import { type Activity, quiet } from "../engine/activity.ts";
import type { OnRead } from "../engine/observe/observe.ts";

/** The progress of one service in a step. */
export interface ServiceProgress extends Activity {
  /** Remote objects to read or calls to send, and how many are done. Undefined until the total is known. */
  readonly work?: {
    readonly done: number;
    readonly total: number;
    /** When the step began, in milliseconds since 1970. */
    readonly since: number;
    /** Whether no worker takes jobs of the service. */
    readonly lacksWorker?: true;
  };
}

/** The progress of a step. */
export type Progress = {
  /** Requests so far, by service. */
  readonly requests: ReadonlyMap<string, ServiceProgress>;
} & (
  | { readonly step: "reading" }
  | { readonly step: "applying"; readonly calls: number }
  /** Nothing new is sent; `calls` are still under way. */
  | { readonly step: "finishing"; readonly calls: number }
);

/** Receives the progress of each service in a step. */
export interface StepTeller {
  readonly onActivity: (service: string, activity: Activity) => void;
  readonly onRead: OnRead;
}

/** Collects the progress of each service in a step, and reports it whenever it changes. The step applies `calls`, or only reads. */
export function tellStep(
  onProgress: ((progress: Progress) => void) | undefined,
  now: () => number,
  calls?: readonly { readonly service: string }[],
): StepTeller {
  const requests = new Map<string, ServiceProgress>();
  const step = calls === undefined ? { step: "reading" as const } : { step: "applying" as const, calls: calls.length };
  const tell = () => onProgress?.({ ...step, requests });
  const since = now();
  const set = (service: string, more: Partial<ServiceProgress>) => {
    requests.set(service, { ...quiet, ...requests.get(service), ...more });
    tell();
  };
  const callsOf = Map.groupBy(calls ?? [], ({ service }) => service);
  tell();
  return {
    onActivity: (service, activity) => {
      const total = callsOf.get(service)?.length;
      set(service, {
        ...activity,
        // A refused call that is sent again in parts adds to the total.
        ...(total === undefined
          ? {}
          : { work: { done: activity.writes, total: Math.max(total, activity.writes), since } }),
      });
    },
    onRead: (service, done, total, lacksWorker = false) =>
      set(service, { work: { done, total, since, ...(lacksWorker ? { lacksWorker } : {}) } }),
  };
}
