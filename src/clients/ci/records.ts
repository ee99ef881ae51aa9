import { z } from "zod";

/** The header field that a request that changes something carries, against forgery. */
export const Crumb = z.object({ crumbRequestField: z.string().regex(/^(?!host$)[\w.-]+$/i), crumb: z.string().min(1) });
export type Crumb = z.infer<typeof Crumb>;

/** A build as far as the `tree` selects it. Times are in milliseconds, since 1970 for `timestamp`. */
const BuildRecord = z.looseObject({
  id: z.string().optional(),
  number: z.int().optional(),
  url: z.string().optional(),
  displayName: z.string().nullish(),
  fullDisplayName: z.string().nullish(),
  description: z.string().nullish(),
  building: z.boolean().optional(),
  /** `null` while it runs. */
  result: z.string().nullish(),
  duration: z.int().optional(),
  estimatedDuration: z.int().optional(),
  timestamp: z.int().optional(),
  queueId: z.int().optional(),
  /** Name of the agent; empty for the server itself. */
  builtOn: z.string().nullish(),
});

/** A job as far as the `tree` selects it. @see docs/facts.md, ci: `builds` holds the newest 100, `allBuilds` all */
export const JobRecord = z.looseObject({
  name: z.string().optional(),
  fullName: z.string().optional(),
  url: z.string().optional(),
  buildable: z.boolean().optional(),
  inQueue: z.boolean().optional(),
  nextBuildNumber: z.int().optional(),
  builds: z.array(BuildRecord).optional(),
  allBuilds: z.array(BuildRecord).optional(),
  lastBuild: BuildRecord.nullish(),
});

/** Plugins as far as the `tree` selects them. */
export const PluginList = z.object({
  plugins: z.array(
    z.looseObject({
      shortName: z.string(),
      longName: z.string().optional(),
      version: z.string(),
      enabled: z.boolean().optional(),
      /** Uninstalled, and gone after a restart. */
      deleted: z.boolean().optional(),
    }),
  ),
});

/** Actions of a build; those that carry no parameters are empty. A password parameter has no value. */
export const BuildParameters = z.object({
  actions: z.array(
    z
      .object({
        parameters: z
          .array(z.object({ _class: z.string().optional(), name: z.string(), value: z.json().optional() }))
          .optional(),
      })
      .nullable(),
  ),
});

/** Where the build waits for its turn. A build that was not queued is answered by a redirect to its job. @see docs/facts.md, ci */
export const QueuedBuild = z
  .object({
    location: z.url().regex(/\/queue\/item\/\d+\/?$/, "expected an item of the queue: the build was not queued"),
  })
  .transform(({ location }): { readonly queueItem: string } => ({ queueItem: location }));

/** The version of a server and, if known, its run, which changes with each start. @see docs/facts.md, ci */
export const ServerVersion = z.object({ version: z.string().min(1), run: z.string().optional() });
export type ServerVersion = z.infer<typeof ServerVersion>;

/** The same, read from header fields. */
export const VersionFields = z
  .object({ "x-jenkins": z.string().min(1), "x-jenkins-session": z.string().optional() })
  .transform(({ "x-jenkins": version, "x-jenkins-session": run }): ServerVersion => ({ version, run }));

/** A version as the update site reports it, such as `2.479.3`. */
export const CoreVersionText = z
  .string()
  .trim()
  .regex(/^\d+(\.\d+)+$/, "expected a version");
