import { z } from "zod";
import type { AnalysisOperations } from "../../clients/analysis/operations.ts";
import type { ModuleRecord } from "../../clients/analysis/records.ts";
import { type CallOf, callOf } from "../../core/call.ts";
import type { Writable } from "../../core/change.ts";
import type { Kind } from "../../core/kind.ts";
import { changedIn, distinctTexts, Text } from "../shared/fields.ts";
import { differentNames, formerName, renames } from "../shared/renames.ts";
import { accessRisks } from "../shared/risks.ts";
import { byName, listParts, observeParts, ofProject } from "./shared/parts.ts";

const call = callOf<AnalysisOperations>();

const AnalysisModule = z
  .strictObject({
    project: Text.describe("Name of the project."),
    name: Text.describe("Name of the module."),
    renamedFrom: formerName("module"),
    allowAll: z.boolean().optional().describe("Whether all users have access to the module."),
    paths: distinctTexts("pattern").describe("Patterns of the paths that belong to the module, in any order."),
  })
  .refine(...differentNames);
type AnalysisModule = z.infer<typeof AnalysisModule>;

const renamed = renames("module", "name", ({ project, name }: AnalysisModule) => `${project}:${name}`);

/** A named set of a project's files, and whether all users may see the issues in them. */
export const analysisModule: Kind<AnalysisModule, AnalysisOperations, undefined> = {
  kind: "AnalysisModule",
  role: "analysis",
  summary: "A module of a project on the static analysis server: a named set of paths.",
  spec: AnalysisModule,
  budget: { reads: "1 modules per project", writes: "1 createModule, updateModule or deleteModule per module" },
  notes: `To rename a module, declare it under its new name, with the old one as \`renamedFrom\`; the old module is then not
deleted, although it is no longer in the manifests.

Some servers return modules without \`allowAll\`. A manifest that sets it then makes the module unknown: leave
the field out. Such a module counts as closed: to give it fewer paths, or to delete it, widens access. None returns the users and groups
that a module allows or denies, so those are neither declared nor kept when it is deleted.`,
  key: ({ project, name }) => `${project}:${name}`,
  scope: ({ project }) => `modules of ${project}`,
  references: ofProject,
  formerKey: renamed.formerKey,
  claims: renamed.claims,
  normalize: ({ renamedFrom: _former, paths, ...spec }) => ({ ...spec, paths: paths?.toSorted() }),

  observe: (read, _scope, wanted) =>
    observeParts(read, wanted, analysisModule, (project) => read.modules({ project }), byName(liveModule, "modules")),

  list: (read, _now, leaveOut) => listParts(read, (project) => read.modules({ project }), liveModule, leaveOut),

  /** @see docs/facts.md, Analysis: `create_module` needs `paths` */
  needsPerson: (change) =>
    change.action === "create" && change.desired.paths === undefined
      ? `Declare \`paths\` of the module ${change.desired.name}: the server does not create a module without them.`
      : undefined,

  compile: (changes) => changes.flatMap(callsFor),

  risk: (change) => {
    const before = change.action === "create" ? [] : hiddenBy(change.live);
    if (change.action === "delete") return ["irreversible", ...accessRisks([], before)];
    return accessRisks(
      hiddenBy(change.action === "create" ? { allowAll: true, ...change.desired } : change.desired),
      before,
    );
  },
};

/**
 * Returns the patterns of the files that a module hides from some users. One that does not say whether all see it may be closed.
 * @see docs/facts.md, Analysis: a module decides who sees the source code
 */
function hiddenBy({ allowAll, paths = ["**"] }: Pick<AnalysisModule, "allowAll" | "paths">): readonly string[] {
  return allowAll === true ? [] : paths;
}

function liveModule(project: string, { name, allow_all: allowAll, paths }: ModuleRecord): AnalysisModule {
  return { project, name, ...(paths === undefined ? {} : { paths }), ...(allowAll === undefined ? {} : { allowAll }) };
}

function callsFor(change: Writable<AnalysisModule, undefined>): readonly CallOf<AnalysisOperations>[] {
  switch (change.action) {
    case "delete": {
      const { project, name } = change.live;
      return renamed.isGone(change) ? [call("deleteModule", { project, name }, [change])] : [];
    }
    case "create": {
      const { project, name, allowAll, paths } = change.desired;
      return [call("createModule", { project, name, allow_all: allowAll, paths }, [change])];
    }
    case "update": {
      const { project, name } = change.live;
      const { name: new_name, allowAll: allow_all, paths } = changedIn(change);
      return [call("updateModule", { project, allow_all, paths, name, new_name }, [change])];
    }
  }
}
