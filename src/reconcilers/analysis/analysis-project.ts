import { z } from "zod";
import type { AnalysisOperations } from "../../clients/analysis/operations.ts";
import type { ImportRecord, ProjectRecord } from "../../clients/analysis/records.ts";
import { type CallOf, callOf } from "../../core/call.ts";
import type { Observation, Writable } from "../../core/change.ts";
import type { Kind } from "../../core/kind.ts";
import { Text } from "../shared/fields.ts";
import { differentNames, formerName, recordOf, renames } from "../shared/renames.ts";
import { observeAll } from "../shared/told.ts";
import { ImportSource, sourceArgs, underWay, unfinished } from "./shared/imports.ts";

const call = callOf<AnalysisOperations>();

const AnalysisProject = z
  .strictObject({
    name: Text.describe("Name of the project."),
    renamedFrom: formerName("project"),
    importFrom: ImportSource.optional().describe("Where a missing project is imported from; ignored once it exists."),
  })
  .refine(...differentNames);
type AnalysisProject = z.infer<typeof AnalysisProject>;

const renamed = renames("project", "name", ({ name }: AnalysisProject) => name);

/** A project. It can be imported from another server, renamed and deleted; no operation creates an empty one. */
export const analysisProject: Kind<AnalysisProject, AnalysisOperations, undefined> = {
  kind: "AnalysisProject",
  role: "analysis",
  summary: "A project of the static analysis server.",
  spec: AnalysisProject,
  budget: {
    reads: "1 projects for all; 1 importStatus if a project that can be imported is missing",
    writes: "1 importProject, updateProject or deleteProject per project",
  },
  notes: `No operation creates an empty project: a missing project is imported if \`importFrom\` is set, and otherwise
needs a person. While \`importStatus\` reports an import in progress, the project is unknown, so that it is not imported
twice; the shape of that response is unconfirmed.

To rename a project, declare it under its new name, with the old one as \`renamedFrom\`; the old project is then not
deleted, although it is no longer in the manifests. Rename in a separate apply: what belongs to the project moves with it,
and is declared under the new name afterwards. Remove \`renamedFrom\` once the project has its new name everywhere.`,
  key: ({ name }) => name,
  scope: () => "projects",
  formerKey: renamed.formerKey,
  claims: renamed.claims,
  normalize: ({ name }) => ({ name }),

  async observe(read, _scope, wanted) {
    const projects = await read.projects({});
    const isToCome = wanted.some((spec) => spec.importFrom !== undefined && recordOf(spec, projects) === undefined);
    const imports = isToCome ? await read.importStatus({}) : [];
    return observeAll(wanted, analysisProject, (spec) => observeProject(spec, projects, imports));
  },

  async list(read) {
    return (await read.projects({})).map(({ name }) => ({ name }));
  },

  needsPerson: (change) =>
    change.action === "create" && change.desired.importFrom === undefined
      ? `Create the project ${change.key} on the service, or set importFrom: no operation creates an empty project.`
      : undefined,

  compile: (changes) => changes.flatMap(callsFor),

  risk: ({ action }) => (action === "delete" ? ["irreversible"] : []),
};

function observeProject(
  spec: AnalysisProject,
  projects: readonly ProjectRecord[],
  imports: readonly ImportRecord[],
): Observation<AnalysisProject, undefined> {
  const live = recordOf(spec, projects);
  if (live !== undefined) return { is: "present", spec: { name: live.name }, marker: undefined };
  const running = unfinished(imports.filter(({ project }) => project === spec.name));
  return running === undefined
    ? { is: "absent", marker: undefined }
    : { is: "unknown", problem: underWay(`project ${spec.name}`, running) };
}

function callsFor(change: Writable<AnalysisProject, undefined>): readonly CallOf<AnalysisOperations>[] {
  const { key } = change;
  switch (change.action) {
    case "delete":
      return renamed.isGone(change) ? [call("deleteProject", { name: key }, [change])] : [];
    case "update":
      return [call("updateProject", { name: change.live.name, new_name: key }, [change])];
    case "create": {
      const { importFrom } = change.desired;
      return importFrom === undefined
        ? []
        : [call("importProject", { project: key, ...sourceArgs(importFrom) }, [change])];
    }
  }
}
