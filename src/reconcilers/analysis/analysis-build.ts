import { z } from "zod";
import type { AnalysisOperations } from "../../clients/analysis/operations.ts";
import type { BuildRecord } from "../../clients/analysis/records.ts";
import { callOf } from "../../core/call.ts";
import { eventTime, type Observation } from "../../core/change.ts";
import type { Kind } from "../../core/kind.ts";
import { changedIn, Text } from "../shared/fields.ts";
import { differentNames, formerName, recordOf, renames } from "../shared/renames.ts";
import { inNoProject, observeParts, ofProject } from "./shared/parts.ts";

const call = callOf<AnalysisOperations>();

const AnalysisBuild = z
  .strictObject({
    project: Text.describe("Name of the project."),
    name: Text.describe("Name of the build."),
    renamedFrom: formerName("build"),
    keepIt: z.boolean().optional().describe("Whether the build is kept, however old it is."),
  })
  .refine(...differentNames);
type AnalysisBuild = z.infer<typeof AnalysisBuild>;

const renamed = renames("build", "name", ({ project, name }: AnalysisBuild) => `${project}:${name}`);

/** A build's name, and whether it is kept. Analyses create builds, and retentions delete them. */
export const analysisBuild: Kind<AnalysisBuild, AnalysisOperations, undefined> = {
  kind: "AnalysisBuild",
  role: "analysis",
  summary: "The name of a build on the static analysis server, and whether it is kept.",
  spec: AnalysisBuild,
  budget: { reads: "1 builds per project", writes: "1 updateBuild per build" },
  notes: `To rename a build, declare it under its new name, with the old one as \`renamedFrom\`. Analyses create builds: one
that does not exist needs a person. A build that is removed from the manifests is left unchanged; \`AnalysisBuildRetention\`
deletes builds. Under a retention, set \`keepIt\` one apply before a rename, or list both names under its \`keep\`: the plan
counts a build as kept only once the service does.

Under \`wire: documented\` a change needs a person: the API documents rename a build by its name alone, whatever its
project, and do not say how to keep it. Builds are not listed: an import would declare every analysis ever made.`,
  permanent: true,
  key: ({ project, name }) => `${project}:${name}`,
  scope: ({ project }) => `builds of ${project}`,
  references: ofProject,
  formerKey: renamed.formerKey,
  claims: renamed.claims,
  normalize: ({ renamedFrom: _former, ...spec }) => spec,

  observe: (read, _scope, wanted) =>
    observeParts(read, wanted, analysisBuild, (project) => read.builds({ project }), observeBuild),

  needsPerson: (change) =>
    change.action === "create"
      ? `Project ${change.desired.project} has no build ${change.desired.name}: run the analysis that creates it, or correct its name.`
      : undefined,

  compile: (changes) =>
    changes.flatMap((change) => {
      if (change.action !== "update") return [];
      const { project, name } = change.live;
      const { name: new_name, keepIt: keepit } = changedIn(change);
      return [call("updateBuild", { project, name, new_name, keepit }, [change])];
    }),
};

function observeBuild(
  spec: AnalysisBuild,
  builds: readonly BuildRecord[] | undefined,
): Observation<AnalysisBuild, undefined> {
  if (builds === undefined) return inNoProject(spec);
  const build = recordOf(spec, builds);
  if (build === undefined) return { is: "absent", marker: undefined };
  const { name, keepit: keepIt, date } = build;
  const events = [{ what: "built", ...eventTime(date) }] as const;
  return { is: "present", spec: { project: spec.project, name, keepIt }, marker: undefined, events };
}
