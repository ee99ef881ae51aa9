import { z } from "zod";
import type { Answer } from "../exchange.ts";
import { Refusal } from "../refusal.ts";
import { FlagField, NamesField, readForm } from "./form.ts";
import { matching } from "./query.ts";
import { changed, findIn, findProject, nextId, replace, requireAbsent, requireAdmin, within } from "./records.ts";
import type { AnalysisProject, AnalysisState, AnalysisView } from "./state.ts";

/** The view that every project has and that nobody can delete. @see docs/facts.md, analysis */
const builtIn = "*default*";

/** Views: named queries of projects. */
export const viewAnswers = {
  views(world, asked) {
    const { project } = readForm(asked, { project: z.string() });
    const owner = findProject(world.analysis, project);
    return { body: within(owner, viewsOf(world.analysis, owner)) };
  },

  createView(world, asked) {
    requireAdmin(asked);
    const { project, name, query } = readForm(asked, {
      project: z.string(),
      name: z.string(),
      query: z.string().default(""),
    });
    const { analysis } = world;
    const owner = findProject(analysis, project);
    requireAbsent("View", viewsOf(analysis, owner), name);
    matching(query);
    const view = {
      project: owner.id,
      id: nextId(analysis.views),
      name,
      query,
      creator: asked.account?.username ?? "",
      is_public: false,
      tags: [],
    };
    return changed(world, { views: [...analysis.views, view] });
  },

  updateView(world, asked) {
    requireAdmin(asked);
    const { project, name, new_name, query, is_public, tags } = readForm(asked, {
      project: z.string(),
      name: z.string(),
      new_name: z.string().optional(),
      query: z.string().optional(),
      is_public: FlagField.optional(),
      tags: NamesField.optional(),
    });
    const { analysis } = world;
    const owner = findProject(analysis, project);
    const view = findOwnView(analysis, owner, name);
    if (new_name !== undefined && new_name !== name) requireAbsent("View", viewsOf(analysis, owner), new_name);
    matching(query ?? "");
    const after = {
      ...view,
      name: new_name ?? name,
      query: query ?? view.query,
      is_public: is_public ?? view.is_public,
      tags: tags ?? view.tags,
    };
    return changed(world, { views: replace(analysis.views, view, after) });
  },

  deleteView(world, asked) {
    requireAdmin(asked);
    const { project, name } = readForm(asked, { project: z.string(), name: z.string() });
    const { analysis } = world;
    const view = findOwnView(analysis, findProject(analysis, project), name);
    return changed(world, { views: analysis.views.filter((other) => other !== view) });
  },
} satisfies Record<string, Answer>;

/** Views of a project, the built-in one first. */
export function viewsOf({ views }: AnalysisState, { id }: AnalysisProject): readonly AnalysisView[] {
  const first = { project: id, id: 0, name: builtIn, query: "", creator: "", is_public: true, tags: [] };
  return [first, ...views.filter(({ project }) => project === id)];
}

function findOwnView(analysis: AnalysisState, project: AnalysisProject, name: string): AnalysisView {
  if (name === builtIn) throw new Refusal(400, `View ${builtIn} cannot be changed`);
  return findIn("View", project, analysis.views, name);
}
