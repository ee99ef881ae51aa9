import { z } from "zod";
import type { Answer } from "../exchange.ts";
import { Refusal } from "../refusal.ts";
import { CountField, FlagField, readForm } from "./form.ts";
import { changed, find, findIn, findProject, replace, requireAbsent, requireAdmin, within } from "./records.ts";
import type { AnalysisBuild, AnalysisIssue, AnalysisState } from "./state.ts";

/** Builds and defect types of projects. */
export const buildAnswers = {
  builds(world, asked) {
    const { project } = readForm(asked, { project: z.string() });
    return { body: within(findProject(world.analysis, project), world.analysis.builds) };
  },

  updateBuild(world, asked) {
    requireAdmin(asked);
    const { project, name, new_name, keepit } = readForm(asked, {
      project: z.string().optional(),
      name: z.string(),
      new_name: z.string().optional(),
      keepit: FlagField.optional(),
    });
    const { analysis } = world;
    const build = findBuild(analysis, project, name);
    const after = { ...build, name: new_name ?? name, keepit: keepit ?? build.keepit };
    const siblings = analysis.builds.filter((other) => other !== build && other.project === build.project);
    requireAbsent("Build", siblings, after.name);
    return changed(world, {
      builds: replace(analysis.builds, build, after),
      issues: withBuild(analysis.issues, build, after.name),
    });
  },

  deleteBuild(world, asked) {
    requireAdmin(asked);
    const { project, name } = readForm(asked, { project: z.string(), name: z.string() });
    const { analysis } = world;
    const build = findBuild(analysis, project, name);
    return changed(world, {
      builds: analysis.builds.filter((other) => other !== build),
      issues: withBuild(analysis.issues, build, undefined).filter(({ builds }) => builds.length > 0),
    });
  },

  defectTypes(world, asked) {
    const { project } = readForm(asked, { project: z.string() });
    return { body: within(findProject(world.analysis, project), world.analysis.defectTypes) };
  },

  updateDefectType(world, asked) {
    requireAdmin(asked);
    const { project, code, enabled, severity } = readForm(asked, {
      project: z.string(),
      code: z.string(),
      enabled: FlagField.optional(),
      severity: CountField.optional(),
    });
    const { analysis } = world;
    const { id } = findProject(analysis, project);
    const type = analysis.defectTypes.find((other) => other.project === id && other.code === code);
    if (type === undefined) throw new Refusal(404, `Defect type ${code} does not exist`);
    const after = { ...type, enabled: enabled ?? type.enabled, severity: severity ?? type.severity };
    return changed(world, { defectTypes: replace(analysis.defectTypes, type, after) });
  },
} satisfies Record<string, Answer>;

/** The documents name a build by its name alone, the real server by its project too: without one it must be unique. */
function findBuild(analysis: AnalysisState, project: string | undefined, name: string): AnalysisBuild {
  if (project !== undefined) return findIn("Build", findProject(analysis, project), analysis.builds, name);
  const build = find("Build", analysis.builds, name);
  if (analysis.builds.some((other) => other !== build && other.name === name))
    throw new Refusal(400, `Several projects have a build ${name}`);
  return build;
}

/** Issues after their build was renamed, or deleted where it has no new name. */
function withBuild(
  issues: readonly AnalysisIssue[],
  { project, name }: AnalysisBuild,
  renamed: string | undefined,
): AnalysisIssue[] {
  const names = renamed === undefined ? [] : [renamed];
  return issues.map((issue) =>
    issue.project === project
      ? { ...issue, builds: issue.builds.flatMap((build) => (build === name ? names : [build])) }
      : issue,
  );
}
