import { z } from "zod";
import type { Answer } from "../exchange.ts";
import { FlagField, NamesField, readForm } from "./form.ts";
import { changed, find, findIn, findProject, replace, requireAbsent, requireAdmin, within } from "./records.ts";
import type { AnalysisProject, AnalysisState } from "./state.ts";

/** Projects with their modules and taxonomies. */
export const projectAnswers = {
  projects(world) {
    return { body: world.analysis.projects };
  },

  updateProject(world, asked) {
    requireAdmin(asked);
    const { name, new_name } = readForm(asked, { name: z.string(), new_name: z.string() });
    const { projects } = world.analysis;
    const project = find("Project", projects, name);
    if (new_name !== name) requireAbsent("Project", projects, new_name);
    return changed(world, { projects: replace(projects, project, { ...project, name: new_name }) });
  },

  deleteProject(world, asked) {
    requireAdmin(asked);
    const { name } = readForm(asked, { name: z.string() });
    return changed(world, withoutProject(world.analysis, find("Project", world.analysis.projects, name)));
  },

  projectConfiguration(world, asked) {
    const { project, build } = readForm(asked, { project: z.string(), build: z.string().optional() });
    const { analysis } = world;
    const owner = findProject(analysis, project);
    const builds = within(owner, analysis.builds);
    const shown = build === undefined ? builds.at(-1) : findIn("Build", owner, analysis.builds, build);
    const taxonomies = within(owner, analysis.taxonomies).map(({ name }) => name);
    return { body: [{ project, build: shown?.name, creationDate: shown?.date, taxonomies }] };
  },

  taxonomies(world, asked) {
    const { project } = readForm(asked, { project: z.string() });
    return { body: within(findProject(world.analysis, project), world.analysis.taxonomies) };
  },

  modules(world, asked) {
    const { project } = readForm(asked, { project: z.string() });
    return { body: within(findProject(world.analysis, project), world.analysis.modules) };
  },

  createModule(world, asked) {
    requireAdmin(asked);
    const { project, name, ...rest } = readForm(asked, {
      project: z.string(),
      name: z.string(),
      allow_all: FlagField.default(true),
      paths: NamesField.default([]),
    });
    const { analysis } = world;
    const owner = findProject(analysis, project);
    requireAbsent("Module", within(owner, analysis.modules), name);
    return changed(world, { modules: [...analysis.modules, { project: owner.id, name, ...rest }] });
  },

  updateModule(world, asked) {
    requireAdmin(asked);
    const { project, name, new_name, allow_all, paths } = readForm(asked, {
      project: z.string(),
      name: z.string(),
      new_name: z.string().optional(),
      allow_all: FlagField.optional(),
      paths: NamesField.optional(),
    });
    const { analysis } = world;
    const owner = findProject(analysis, project);
    const module = findIn("Module", owner, analysis.modules, name);
    if (new_name !== undefined && new_name !== name) requireAbsent("Module", within(owner, analysis.modules), new_name);
    const after = {
      ...module,
      name: new_name ?? name,
      allow_all: allow_all ?? module.allow_all,
      paths: paths ?? module.paths,
    };
    return changed(world, { modules: replace(analysis.modules, module, after) });
  },

  deleteModule(world, asked) {
    requireAdmin(asked);
    const { project, name } = readForm(asked, { project: z.string(), name: z.string() });
    const { analysis } = world;
    const module = findIn("Module", findProject(analysis, project), analysis.modules, name);
    return changed(world, { modules: analysis.modules.filter((other) => other !== module) });
  },
} satisfies Record<string, Answer>;

/** A project goes with all that belongs to it. */
function withoutProject(analysis: AnalysisState, project: AnalysisProject): Partial<AnalysisState> {
  const others = <R extends { readonly project?: string | undefined }>(records: readonly R[]) =>
    records.filter((record) => record.project !== project.id);
  return {
    projects: analysis.projects.filter((other) => other !== project),
    assignments: others(analysis.assignments),
    builds: others(analysis.builds),
    modules: others(analysis.modules),
    views: others(analysis.views),
    taxonomies: others(analysis.taxonomies),
    defectTypes: others(analysis.defectTypes),
    issues: others(analysis.issues),
    metrics: others(analysis.metrics),
  };
}
