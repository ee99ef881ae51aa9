import { z } from "zod";
import type { AnalysisOperations } from "../../clients/analysis/operations.ts";
import type { BuildRecord } from "../../clients/analysis/records.ts";
import { callOf } from "../../core/call.ts";
import { eventTime, type Observation } from "../../core/change.ts";
import type { Kind } from "../../core/kind.ts";
import { Duration, milliseconds } from "../../core/text/duration.ts";
import { Text } from "../shared/fields.ts";
import { inNoProject, observeParts, ofProject } from "./shared/parts.ts";

const call = callOf<AnalysisOperations>();

const AnalysisBuildRetention = z
  .strictObject({
    project: Text.describe("Name of the project."),
    count: z
      .int()
      .min(1)
      .optional()
      .describe("How many of the newest builds are kept. Builds marked as kept do not count."),
    maxAge: Duration.optional().describe("Maximum age of a build in hours, days or weeks, such as `90d`."),
    keep: z.array(Text).default([]).describe("Names of builds that are never deleted."),
  })
  .refine(({ count, maxAge }) => count !== undefined || maxAge !== undefined, "expected count, maxAge or both");

/** The manifest's fields and, if live, the names of the builds that exceed the rule, oldest first. */
type AnalysisBuildRetention = z.infer<typeof AnalysisBuildRetention> & { readonly exceeding?: readonly string[] };

/** How many builds of a project are kept, and for how long. The service reports no rule: it is met while no build exceeds it. */
export const analysisBuildRetention: Kind<AnalysisBuildRetention, AnalysisOperations, undefined> = {
  kind: "AnalysisBuildRetention",
  role: "analysis",
  summary: "Which builds of a project on the static analysis server are deleted: those beyond a number or an age.",
  spec: AnalysisBuildRetention,
  budget: { reads: "1 builds per project", writes: "1 deleteBuild per deleted build" },
  notes: `The service does not report a retention, so there is nothing to import: the rule is met while no build exceeds it, and a
plan lists under \`exceeding\` the builds that would be deleted, with their issues. A build is deleted if it is beyond
\`count\` or older than \`maxAge\`. Builds marked as kept on the service (\`keepit\`) and those under \`keep\` are never
deleted and do not count. A project can also have a retention of its own, set on its page of builds, which deletes builds when a new one
is made: by default all but 20. The last build of a project is never deleted, however old: with it, the status of every issue
would be lost.`,
  permanent: true,
  key: ({ project }) => project,
  scope: ({ project }) => `builds of ${project}`,
  references: ofProject,
  normalize: ({ exceeding = [] }) => ({ exceeding }),

  observe: (read, _scope, wanted, now) =>
    observeParts(
      read,
      wanted,
      analysisBuildRetention,
      (project) => read.builds({ project }),
      (spec, builds) => observeBuilds(spec, builds, now),
    ),

  compile: (changes) =>
    changes.flatMap((change) =>
      change.action === "update"
        ? (change.live.exceeding ?? []).map((name) =>
            call("deleteBuild", { project: change.live.project, name }, [change]),
          )
        : [],
    ),

  risk: () => ["irreversible"],
};

function observeBuilds(
  spec: AnalysisBuildRetention,
  builds: readonly BuildRecord[] | undefined,
  now: Date,
): Observation<AnalysisBuildRetention, undefined> {
  if (builds === undefined) return inNoProject(spec);
  const gone = exceeding(spec, builds, now);
  const events = gone.map(({ name, date }) => ({ what: "built", name, ...eventTime(date) }) as const);
  return { is: "present", spec: { ...spec, exceeding: gone.map(({ name }) => name) }, marker: undefined, events };
}

/** Returns the builds that exceed a rule, oldest first, each once. Of two builds with one date, the higher id is newer. */
function exceeding(
  { count = Number.POSITIVE_INFINITY, maxAge, keep }: AnalysisBuildRetention,
  builds: readonly BuildRecord[],
  now: Date,
): readonly BuildRecord[] {
  const oldest = maxAge === undefined ? Number.NEGATIVE_INFINITY : now.getTime() - milliseconds(maxAge);
  const all = [...new Map(builds.map((build) => [build.name, build])).values()];
  const gone = all
    .filter(({ name, keepit }) => !keepit && !keep.includes(name))
    .sort((a, b) => b.date - a.date || b.id - a.id)
    .filter(({ date }, index) => index >= count || date < oldest)
    .reverse();
  // @see docs/facts.md, Analysis: if all builds of a project are deleted
  return gone.length === all.length ? gone.slice(0, -1) : gone;
}
