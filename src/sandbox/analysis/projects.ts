import type { Answers, Asked } from "../exchange.ts";
import { replace, without } from "../lists.ts";
import { foundIn, Refusal } from "../refusal.ts";
import { find, findOf, formFields, of, projectOf, readForm, requireAbsent, within } from "./form.ts";
import type { AnalysisBuild, AnalysisIssue, AnalysisState } from "./state.ts";

/** Projects with their modules, taxonomies, builds and defect types. */
export const projectAnswers = {
  projects: ({ state }) => ({ body: state.projects }),

  updateProject(asked) {
    const { projects } = asked.state;
    const { name, new_name } = readForm(asked, "name", "new_name");
    const project = find("Project", projects, name);
    requireAbsent("Project", without(projects, project), new_name);
    return { changes: { projects: replace(projects, project, { ...project, name: new_name }) } };
  },

  /** Deletes a project with everything that belongs to it. */
  deleteProject(asked) {
    const { state } = asked;
    const project = find("Project", state.projects, readForm(asked, "name").name);
    const others = <R extends { readonly project?: string | undefined }>(records: readonly R[]) =>
      records.filter((record) => record.project !== project.id);
    return {
      changes: {
        projects: without(state.projects, project),
        assignments: others(state.assignments),
        builds: others(state.builds),
        modules: others(state.modules),
        views: others(state.views),
        taxonomies: others(state.taxonomies),
        defectTypes: others(state.defectTypes),
        issues: others(state.issues),
        metrics: others(state.metrics),
      },
    };
  },

  projectConfiguration(asked) {
    const { build } = readForm(asked);
    const project = projectOf(asked);
    const builds = of(project, asked.state.builds);
    const shown = build === undefined ? builds.at(-1) : find("Build", builds, build);
    const taxonomies = of(project, asked.state.taxonomies).map(({ name }) => name);
    return { body: [{ project: project.name, build: shown?.name, creationDate: shown?.date, taxonomies }] };
  },

  taxonomies: (asked) => ({ body: within(projectOf(asked), asked.state.taxonomies) }),

  /** @see docs/facts.md, Analysis: clients read `allowAll` of modules */
  modules: (asked) => ({
    body: within(projectOf(asked), asked.state.modules).map(({ allow_all: allowAll, ...module }) => ({
      ...module,
      allowAll,
    })),
  }),

  createModule(asked) {
    const { modules } = asked.state;
    const { id: project } = projectOf(asked);
    const { name, allow_all = true } = readForm(asked, "name");
    requireAbsent("Module", of(projectOf(asked), modules), name);
    const { paths } = readForm(asked, "paths");
    return { changes: { modules: [...modules, { project, name, allow_all, paths }] } };
  },

  updateModule(asked) {
    const { modules } = asked.state;
    const module = findOf(asked, "Module", modules);
    const { new_name: name = module.name, allow_all = module.allow_all, paths = module.paths } = readForm(asked);
    requireAbsent("Module", without(of(projectOf(asked), modules), module), name);
    return { changes: { modules: replace(modules, module, { ...module, name, allow_all, paths }) } };
  },

  deleteModule(asked) {
    const { modules } = asked.state;
    return { changes: { modules: without(modules, findOf(asked, "Module", modules)) } };
  },

  builds: (asked) => ({ body: within(projectOf(asked), asked.state.builds) }),

  updateBuild(asked) {
    const { builds, issues } = asked.state;
    const build = requireBuild(asked);
    const { new_name: name = build.name, keepit = build.keepit } = readForm(asked);
    const siblings = builds.filter(({ project }) => project === build.project);
    requireAbsent("Build", without(siblings, build), name);
    const after = { ...build, keepit, name };
    return { changes: { builds: replace(builds, build, after), issues: withBuild(issues, build, [name]) } };
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
    const { defectTypes } = asked.state;
    const { code, ...sent } = readForm(asked, "code");
    const isIt = (other: { readonly code: string }) => other.code === code;
    const type = foundIn(of(projectOf(asked), defectTypes), isIt, `Defect type ${code} does not exist`);
    const { enabled = type.enabled, severity = type.severity } = sent;
    return { changes: { defectTypes: replace(defectTypes, type, { ...type, enabled, severity }) } };
  },
} satisfies Answers<AnalysisState>;

/**
 * Returns the build that a request names. By the documentation the name is enough; the real server also takes a project.
 * Without a project the name must be unique.
 */
function requireBuild(asked: Asked<AnalysisState>): AnalysisBuild {
  const { builds } = asked.state;
  const { name } = readForm(asked, "name");
  if (formFields(asked).has("project")) return findOf(asked, "Build", builds);
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
