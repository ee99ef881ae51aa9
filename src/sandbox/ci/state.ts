import { z } from "zod";

const ParameterValue = z.union([z.string(), z.boolean()]);

const CiBuild = z.strictObject({
  number: z.int().min(1),
  /** `null` while it runs. */
  result: z.enum(["SUCCESS", "UNSTABLE", "FAILURE", "NOT_BUILT", "ABORTED"]).nullable().default(null),
  /** Milliseconds since 1970. */
  timestamp: z.int(),
  /** Milliseconds; 0 while it runs. */
  duration: z.int().default(0),
  queueId: z.int().default(0),
  /** Name of the agent; empty for the server itself. */
  builtOn: z.string().default(""),
  parameters: z.record(z.string(), ParameterValue).default({}),
});
export type CiBuild = z.infer<typeof CiBuild>;

const CiParameter = z.strictObject({
  name: z.string().min(1),
  default: ParameterValue.default(""),
  /** The allowed values, if it is a choice. */
  choices: z.array(z.string()).optional(),
});

const CiJob = z.strictObject({
  type: z.enum(["pipeline", "freestyle"]).default("pipeline"),
  /** The parameters of the job's builds. */
  parameters: z.array(CiParameter).default([]),
  config: z.string().default("<?xml version='1.1' encoding='UTF-8'?>\n<flow-definition/>"),
  /** The newest last. */
  builds: z.array(CiBuild).default([]),
});
export type CiJob = z.infer<typeof CiJob>;

const CiPlugin = z.strictObject({
  shortName: z.string(),
  longName: z.string(),
  version: z.string(),
  enabled: z.boolean().default(true),
  /** Gone after a restart. */
  deleted: z.boolean().default(false),
  /** The version after a restart, if it differs. */
  upgrade: z.string().optional(),
  /** Plugins without which it does not load. */
  needs: z.array(z.string()).default([]),
});

/** The CI server and its update site. */
export const CiState = z
  .strictObject({
    version: z.string().default("2.479.3"),
    /** Whether POST requests must carry a crumb. */
    crumbs: z.boolean().default(true),
    /** How often the server was started. Every start ends all sessions. */
    starts: z.int().default(1),
    /** How many more requests are refused because the server is starting, and how many are refused after a restart. */
    starting: z.int().min(0).default(0),
    startupRequests: z.int().min(0).default(2),
    /** Whether the server restarts once no build is running. */
    restartPending: z.boolean().default(false),
    nextQueueId: z.int().default(1),
    /** System properties from the start of the server, and those set since then (`null` means removed). */
    startProperties: z.record(z.string(), z.string()).default({}),
    setProperties: z.record(z.string(), z.string().nullable()).default({}),
    plugins: z.array(CiPlugin).default([]),
    /** By full name, such as `folder/job`; folders exist because of the jobs in them. */
    jobs: z.record(z.string(), CiJob).default({}),
    updates: z
      .strictObject({
        stable: z.string().default("2.479.3"),
        weekly: z.string().default("2.492"),
        /** Versions by short name. */
        plugins: z.record(z.string(), z.string()).default({}),
      })
      .prefault({}),
  })
  .prefault({});
export type CiState = z.infer<typeof CiState>;

/** Whether a build of any job is running. */
export function isBusy({ jobs }: CiState): boolean {
  return Object.values(jobs).some(({ builds }) => builds.some(({ result }) => result === null));
}

/** Returns the server after a restart: running builds are aborted, sessions and the properties that were set are gone. */
export function restarted(ci: CiState, now: number): CiState {
  return {
    ...ci,
    starts: ci.starts + 1,
    starting: ci.startupRequests,
    restartPending: false,
    setProperties: {},
    plugins: ci.plugins
      .filter(({ deleted }) => !deleted)
      .map(({ upgrade, ...plugin }) => ({ ...plugin, version: upgrade ?? plugin.version })),
    jobs: Object.fromEntries(
      Object.entries(ci.jobs).map(([name, job]) => [
        name,
        { ...job, builds: job.builds.map((build) => aborted(build, now)) },
      ]),
    ),
  };
}

/** Returns a build that has ended: aborted, if it was running. */
export function aborted(build: CiBuild, now: number): CiBuild {
  return build.result === null ? { ...build, result: "ABORTED", duration: now - build.timestamp } : build;
}
