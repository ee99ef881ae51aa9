import { z } from "zod";
import type { Answers, Asked } from "../exchange.ts";
import { replace, without } from "../lists.ts";
import { foundIn, Refusal } from "../refusal.ts";
import {
  CountField,
  FlagField,
  find,
  formFields,
  of,
  projectOf,
  readForm,
  readName,
  requireAbsent,
  within,
} from "./form.ts";
import type { AnalysisBuild, AnalysisIssue, AnalysisState } from "./state.ts";

/** Builds and defect types of projects. */
export const buildAnswers = {
  builds: (asked) => ({ body: within(projectOf(asked), asked.state.builds) }),

  updateBuild(asked) {
    const { builds, issues } = asked.state;
    const build = requireBuild(asked);
    const { new_name: name = build.name, ...sent } = readForm(asked, {
      new_name: z.string().optional(),
      keepit: FlagField.exactOptional(),
    });
    const siblings = builds.filter((other) => other !== build && other.project === build.project);
    requireAbsent("Build", siblings, name);
    return {
      changes: {
        builds: replace(builds, build, { ...build, ...sent, name }),
        issues: withBuild(issues, build, [name]),
      },
    };
  },

  deleteBuild(asked) {
    projectOf(asked);
    const { builds, issues } = asked.state;
    const build = requireBuild(asked);
    const left = withBuild(issues, build, []).filter((issue) => issue.builds.length > 0);
    return { changes: { builds: without(builds, build), issues: left } };
  },

  defectTypes: (asked) => ({ body: within(projectOf(asked), asked.state.defectTypes) }),

  updateDefectType(asked) {
    const { code, ...sent } = readForm(asked, {
      code: z.string(),
      enabled: FlagField.exactOptional(),
      severity: CountField.exactOptional(),
    });
    const { defectTypes } = asked.state;
    const types = of(projectOf(asked), defectTypes);
    const type = foundIn(types, (other) => other.code === code, `Defect type ${code} does not exist`);
    return { changes: { defectTypes: replace(defectTypes, type, { ...type, ...sent }) } };
  },
} satisfies Answers<AnalysisState>;

/**
 * Returns the build that a request names. By the documentation the name is enough; the real server also takes a project.
 * Without a project the name must be unique.
 */
function requireBuild(asked: Asked<AnalysisState>): AnalysisBuild {
  const { builds } = asked.state;
  const name = readName(asked);
  if (formFields(asked).has("project")) return find("Build", of(projectOf(asked), builds), name);
  const build = find("Build", builds, name);
  if (builds.some((other) => other !== build && other.name === name))
    throw new Refusal(400, `Several projects have a build ${name}`);
  return build;
}

/** Returns the issues with a build's name replaced by `names`, which can be empty. */
function withBuild(issues: readonly AnalysisIssue[], { project, name }: AnalysisBuild, names: string[]) {
  return issues.map((issue) =>
    issue.project === project
      ? { ...issue, builds: issue.builds.flatMap((build) => (build === name ? names : [build])) }
      : issue,
  );
}
