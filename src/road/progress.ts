import { type Activity, quiet } from "../engine/activity.ts";

/** What is known of a service while a step goes on. */
export interface ServiceProgress extends Activity {
  /** What is done of what there is to do: remote objects to read, or calls to send. Undefined until that is known. */
  readonly work?: {
    readonly done: number;
    readonly total: number;
    /** When the step began, in milliseconds since 1970. */
    readonly since: number;
  };
}

/** The progress of a step. */
export type Progress = {
  /** Requests so far, by service. */
  readonly requests: ReadonlyMap<string, ServiceProgress>;
} & (
  | { readonly step: "reading" }
  | { readonly step: "applying"; readonly calls: number }
  /** Nothing new is sent; so many calls are under way. */
  | { readonly step: "finishing"; readonly calls: number }
);

/** Which step's progress is told. `calls` are those of a plan. */
export type ToldStep =
  | { readonly step: "reading" }
  | { readonly step: "applying"; readonly calls: readonly { readonly service: string }[] };

/** What a step tells of each service. */
export interface StepTeller {
  readonly onActivity: (service: string, activity: Activity) => void;
  /** How many remote objects are read, and how many there are to read. */
  readonly onRead: (service: string, done: number, total: number) => void;
}

/** Puts together what is known of each service while a step goes on, and tells it whenever that changes. */
export function tellStep(
  onProgress: ((progress: Progress) => void) | undefined,
  told: ToldStep,
  now: () => number,
): StepTeller {
  const services = new Map<string, ServiceProgress>();
  const tell = () =>
    onProgress?.(
      told.step === "reading"
        ? { step: "reading", requests: services }
        : { step: "applying", calls: told.calls.length, requests: services },
    );
  const since = now();
  const set = (service: string, more: Partial<ServiceProgress>) => {
    services.set(service, { ...quiet, ...services.get(service), ...more });
    tell();
  };
  const callsOf = Map.groupBy(told.step === "applying" ? told.calls : [], ({ service }) => service);
  tell();
  return {
    onActivity: (service, activity) => {
      const total = callsOf.get(service)?.length;
      set(service, {
        ...activity,
        // The parts of a refused call come on top.
        ...(total === undefined
          ? {}
          : { work: { done: activity.writes, total: Math.max(total, activity.writes), since } }),
      });
    },
    onRead: (service, done, total) => set(service, { work: { done, total, since } }),
  };
}
