import { z } from "zod";
import type { Answers, Asked } from "../exchange.ts";
import { nextId, replace, without } from "../lists.ts";
import { Refusal } from "../refusal.ts";
import { FlagField, find, NamesField, of, projectOf, readForm, readName, requireAbsent, within } from "./form.ts";
import { matching } from "./query.ts";
import type { AnalysisProject, AnalysisState, AnalysisView } from "./state.ts";

/** The view that every project has and that no one can delete. @see docs/facts.md, analysis */
const builtIn = "*default*";

/** Views: named queries of projects. */
export const viewAnswers = {
  views(asked) {
    const owner = projectOf(asked);
    return { body: within(owner, viewsOf(asked.state, owner)) };
  },

  createView(asked) {
    const { views } = asked.state;
    const owner = projectOf(asked);
    const name = requireAbsent("View", viewsOf(asked.state, owner), readName(asked));
    const { query } = readForm(asked, { query: z.string() });
    matching(query);
    const creator = asked.account?.username ?? "";
    const view = { project: owner.id, id: nextId(views), name, query, creator, is_public: false, tags: [] };
    return { changes: { views: [...views, view] } };
  },

  updateView(asked) {
    const { views } = asked.state;
    const view = requireOwnView(asked);
    const { new_name: name = view.name, ...sent } = readForm(asked, {
      new_name: z.string().optional(),
      query: z.string().exactOptional(),
      is_public: FlagField.exactOptional(),
      tags: NamesField.exactOptional(),
    });
    requireAbsent("View", without(viewsOf(asked.state, projectOf(asked)), view), name);
    matching(sent.query ?? "");
    return { changes: { views: replace(views, view, { ...view, ...sent, name }) } };
  },

  deleteView: (asked) => ({ changes: { views: without(asked.state.views, requireOwnView(asked)) } }),
} satisfies Answers<AnalysisState>;

/** Returns the views of a project, the built-in one first. */
export function viewsOf({ views }: AnalysisState, project: AnalysisProject): readonly AnalysisView[] {
  const first = { project: project.id, id: 0, name: builtIn, query: "", creator: "", is_public: true, tags: [] };
  return [first, ...of(project, views)];
}

/** Returns the view that a request names. Throws `Refusal` for the built-in view, which no one can change. */
function requireOwnView(asked: Asked<AnalysisState>): AnalysisView {
  const name = readName(asked);
  if (name === builtIn) throw new Refusal(400, `View ${builtIn} cannot be changed`);
  return find("View", of(projectOf(asked), asked.state.views), name);
}
