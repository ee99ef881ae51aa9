import { z } from "zod";
import type { Answers } from "../exchange.ts";
import { replace, without } from "../lists.ts";
import { FlagField, find, NamesField, of, projectOf, readForm, readName, requireAbsent, within } from "./form.ts";
import type { AnalysisState } from "./state.ts";

/** Projects with their modules and taxonomies. */
export const projectAnswers = {
  projects: ({ state }) => ({ body: state.projects }),

  updateProject(asked) {
    const { projects } = asked.state;
    const project = find("Project", projects, readName(asked));
    const { new_name: name } = readForm(asked, { new_name: z.string() });
    requireAbsent("Project", without(projects, project), name);
    return { changes: { projects: replace(projects, project, { ...project, name }) } };
  },

  /** Deletes a project with everything that belongs to it. */
  deleteProject(asked) {
    const { state } = asked;
    const project = find("Project", state.projects, readName(asked));
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
    const { build } = readForm(asked, { build: z.string().optional() });
    const project = projectOf(asked);
    const builds = of(project, asked.state.builds);
    const shown = build === undefined ? builds.at(-1) : find("Build", builds, build);
    const taxonomies = of(project, asked.state.taxonomies).map(({ name }) => name);
    return { body: [{ project: project.name, build: shown?.name, creationDate: shown?.date, taxonomies }] };
  },

  taxonomies: (asked) => ({ body: within(projectOf(asked), asked.state.taxonomies) }),

  modules: (asked) => ({ body: within(projectOf(asked), asked.state.modules) }),

  createModule(asked) {
    const { modules } = asked.state;
    const owner = projectOf(asked);
    const name = requireAbsent("Module", of(owner, modules), readName(asked));
    const rest = readForm(asked, { allow_all: FlagField.default(true), paths: NamesField });
    return { changes: { modules: [...modules, { project: owner.id, name, ...rest }] } };
  },

  updateModule(asked) {
    const { modules } = asked.state;
    const own = of(projectOf(asked), modules);
    const module = find("Module", own, readName(asked));
    const { new_name: name = module.name, ...sent } = readForm(asked, {
      new_name: z.string().optional(),
      allow_all: FlagField.exactOptional(),
      paths: NamesField.exactOptional(),
    });
    requireAbsent("Module", without(own, module), name);
    return { changes: { modules: replace(modules, module, { ...module, ...sent, name }) } };
  },

  deleteModule(asked) {
    const { modules } = asked.state;
    const module = find("Module", of(projectOf(asked), modules), readName(asked));
    return { changes: { modules: without(modules, module) } };
  },
} satisfies Answers<AnalysisState>;
