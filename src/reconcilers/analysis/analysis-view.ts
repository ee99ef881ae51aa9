import { z } from "zod";
import type { AnalysisOperations } from "../../clients/analysis/operations.ts";
import type { ViewRecord } from "../../clients/analysis/records.ts";
import { type CallOf, callOf } from "../../core/call.ts";
import type { Writable } from "../../core/change.ts";
import type { Kind } from "../../core/kind.ts";
import type { Problem } from "../../core/problem.ts";
import { changedIn, distinctTexts, Text } from "../shared/fields.ts";
import { refuse } from "../shared/left-out.ts";
import { differentNames, formerName, recordOf, renames } from "../shared/renames.ts";
import { byName, listParts, observeParts, ofProject } from "./shared/parts.ts";

const call = callOf<AnalysisOperations>();

/** The view that every project has. @see docs/facts.md, analysis: it cannot be deleted */
const builtIn = "*default*";

const AnalysisView = z
  .strictObject({
    project: Text.describe("Name of the project."),
    name: Text.refine(
      (name) => name !== builtIn,
      `expected a name other than ${builtIn}, the view that every project has`,
    ).describe("Name of the view."),
    renamedFrom: formerName("view").refine(
      (name) => name !== builtIn,
      `expected a name other than ${builtIn}, which stays`,
    ),
    query: z
      .string()
      .regex(/^[^\r\n]*$/, "expected a query on one line")
      .refine((query) => !namesBuild(query), "expected a query without build:, which a view does not support")
      .optional()
      .describe("Terms that an issue must all match, such as `state:New severity:1-3 file:'flight plan.c'`."),
    tags: distinctTexts("tag").describe("Tags, in any order."),
    isPublic: z
      .boolean()
      .optional()
      .describe("Whether everyone with access to the project sees the view, and not only who created it."),
  })
  .refine(...differentNames);
type AnalysisView = z.infer<typeof AnalysisView>;

const renamed = renames("view", "name", ({ project, name }: AnalysisView) => `${project}:${name}`);

/** A named search for issues of a project. */
export const analysisView: Kind<AnalysisView, AnalysisOperations, undefined> = {
  kind: "AnalysisView",
  role: "analysis",
  summary: "A view of a project on the static analysis server: a named search for issues.",
  spec: AnalysisView,
  budget: {
    reads: "1 views per project",
    writes: "1 createView (and 1 updateView if it has tags or is public), updateView or deleteView per view",
  },
  notes: `The built-in view \`${builtIn}\` is neither declared nor listed, so it is never deleted. Extra spaces between
the terms of a query are not a difference. To rename a view, declare it under its new name, with the old one as
\`renamedFrom\`. A new view is seen only by the account that setpoint uses, unless \`isPublic\` is set. Setting that, or changing a name
or a query, needs the product: the API documents change only tags. Views of one name by different people are unknown.`,
  key: ({ project, name }) => `${project}:${name}`,
  scope: ({ project }) => `views of ${project}`,
  references: ofProject,
  formerKey: renamed.formerKey,
  claims: renamed.claims,
  normalize: ({ renamedFrom: _former, query, tags, ...spec }) => ({
    ...spec,
    query: query && termsOf(query).join(" "),
    tags: tags?.toSorted(),
  }),

  observe: (read, _scope, wanted) =>
    observeParts(read, wanted, analysisView, (project) => read.views({ project }), observeView),

  list: (read, _now, leaveOut = refuse) =>
    listParts(
      read,
      async (project) => {
        const views = Map.groupBy(await read.views({ project }), ({ name }) => name);
        views.delete(builtIn);
        return [...views].flatMap(([name, records]) => {
          const problem = alike(project, name, records);
          if (problem === undefined) return records;
          leaveOut(`${project}:${name}`, problem);
          return [];
        });
      },
      importedView,
      leaveOut,
    ),

  compile: (changes) => changes.flatMap(callsFor),

  risk: ({ action }) => (action === "delete" ? ["irreversible"] : []),
};

/** Returns the terms of a query; a quoted value can contain spaces. */
function termsOf(query: string): readonly string[] {
  return query.match(/(?:'[^']*'|\S)+/g) ?? [];
}

/** Whether a query selects a build, which only a search can. @see docs/facts.md, Analysis: `build` is not supported in views */
function namesBuild(query: string): boolean {
  return termsOf(query).some((term) => /^[-+]?build:/i.test(term));
}

function liveView(project: string, { name, query = "", tags = [], is_public: isPublic }: ViewRecord): AnalysisView {
  return { project, name, query, tags, ...(isPublic === undefined ? {} : { isPublic }) };
}

/** Returns a view as a manifest can declare it: without a query that none accepts. */
function importedView(project: string, record: ViewRecord): AnalysisView {
  const { query = "", ...view } = liveView(project, record);
  return namesBuild(query) ? view : { ...view, query };
}

const observeByName = byName(liveView, "views");

/** Returns the problem of several views with one name. @see docs/facts.md, Analysis: views of different people */
function alike(project: string, view: string, records: readonly ViewRecord[]): Problem | undefined {
  const creators = records.flatMap(({ name, creator = "someone" }) => (name === view ? [creator] : []));
  if (creators.length < 2) return undefined;
  return {
    code: "SP3010",
    operation: "views",
    message: `Project ${project} has ${creators.length} views ${view}, by ${creators.join(", ")}, and calls name a view without its creator.`,
    hint: "Rename all but one of them.",
  };
}

const observeView: typeof observeByName = (wanted, records = []) => {
  const record = recordOf(wanted, records);
  const problem = record && alike(wanted.project, record.name, records);
  return problem === undefined ? observeByName(wanted, records) : { is: "unknown", problem };
};

/**
 * Returns the calls for a change. Tags of a new view, and that everyone sees it, need a second call, whose arguments all
 * versions know. @see docs/facts.md, Analysis: `create_view` names the argument differently
 */
function callsFor(change: Writable<AnalysisView, undefined>): readonly CallOf<AnalysisOperations>[] {
  switch (change.action) {
    case "delete": {
      const { project, name } = change.live;
      return renamed.isGone(change) ? [call("deleteView", { project, name }, [change])] : [];
    }
    case "create": {
      const { project, name, query = "", tags = [], isPublic } = change.desired;
      return [
        call("createView", { project, name, query }, [change]),
        ...(tags.length === 0 && isPublic !== true
          ? []
          : [
              call("updateView", { project, name, tags: tags.length > 0 ? tags : undefined, is_public: isPublic }, [
                change,
              ]),
            ]),
      ];
    }
    case "update": {
      const { project, name } = change.live;
      const { name: new_name, query, tags, isPublic: is_public } = changedIn(change);
      return [call("updateView", { project, name, new_name, query, tags, is_public }, [change])];
    }
  }
}
