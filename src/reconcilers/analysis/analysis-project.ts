import { z } from "zod";
import type { AnalysisOperations } from "../../clients/analysis/operations.ts";
import type { ImportRecord } from "../../clients/analysis/records.ts";
import { type CallOf, callOf } from "../../core/call.ts";
import type { Observation, Writable } from "../../core/change.ts";
import type { Kind } from "../../core/kind.ts";
import type { Problem } from "../../core/problem.ts";
import { SecretReference } from "../../core/secret.ts";

const call = callOf<AnalysisOperations>();

const Source = z.strictObject({
  sourceUrl: z
    .string()
    .regex(
      /^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/,
      "expected an http or https URL without user name, password and query",
    )
    .describe("Base URL of the static analysis server that has the project."),
  admin: z.string().min(1).describe("Name of an administrator on that server."),
  password: SecretReference.optional().describe("That administrator's password."),
});

const AnalysisProject = z
  .strictObject({
    name: z.string().min(1).describe("Name of the project."),
    formerName: z
      .string()
      .min(1)
      .optional()
      .describe("A project with this name is renamed if no project has the new name."),
    importFrom: Source.optional().describe("Where a missing project is imported from; ignored once it exists."),
  })
  .refine(({ name, formerName }) => name !== formerName, "expected a formerName that differs from name");
type AnalysisProject = z.infer<typeof AnalysisProject>;

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

To rename a project, declare it under its new name, with the old one as \`formerName\`; the old project is then not
deleted, although it is no longer in the manifests. Rename in a separate apply: what belongs to the project moves with it,
and is declared under the new name afterwards. Remove \`formerName\` once the project has its new name everywhere.`,
  key: ({ name }) => name,
  scope: () => "projects",
  claims: ({ name, formerName }) => [name, formerName].flatMap((one) => (one === undefined ? [] : [claimOf(one)])),
  normalize: ({ name }) => ({ name }),

  async observe(read, _scope, wanted) {
    const projects = await read.projects({});
    const isLive = (name: string | undefined) => projects.some((project) => project.name === name);
    const isMissing = ({ name, formerName }: AnalysisProject) => !isLive(name) && !isLive(formerName);
    const isToCome = wanted.some((spec) => spec.importFrom !== undefined && isMissing(spec));
    const imports = isToCome ? await read.importStatus({}) : [];
    return new Map(wanted.toReversed().map((spec) => [spec.name, observeProject(spec, isLive, imports)]));
  },

  async list(read) {
    return (await read.projects({})).map(({ name }) => ({ name }));
  },

  needsPerson(change) {
    if (change.action === "create" && change.desired.importFrom === undefined)
      return `Create the project ${change.key} on the service, or set importFrom: no operation creates an empty project.`;
    if (change.action === "delete" && change.live.name !== change.key)
      return `The service has no project ${change.key}, only ${change.live.name}, its former name, which is not deleted: remove formerName.`;
    return undefined;
  },

  compile: (changes) => changes.flatMap(callsFor),

  risk: ({ action }) => (action === "delete" ? ["irreversible"] : []),
};

function observeProject(
  { name, formerName }: AnalysisProject,
  isLive: (name: string | undefined) => boolean,
  imports: readonly ImportRecord[],
): Observation<AnalysisProject, undefined> {
  const live = [name, formerName].find(isLive);
  if (live !== undefined) return { is: "present", spec: { name: live }, marker: undefined };
  const running = imports.find(({ project, status = "" }) => project === name && !ended.test(status));
  return running === undefined
    ? { is: "absent", marker: undefined }
    : { is: "unknown", problem: underWay(name, running.status) };
}

/** Words in the status of an import that has finished or failed. */
const ended = /complete|done|finish|success|fail|error|cancel|abort/i;

function claimOf(name: string): string {
  return `the project ${name}`;
}

function underWay(name: string, status = "no status"): Problem {
  return {
    code: "SP3104",
    operation: "importStatus",
    message: `The import of project ${name} has not finished (${status}), so the service does not list it yet.`,
    hint: "Plan again once it has.",
  };
}

/** A delete is dropped if another declared project has this former name. */
function callsFor(change: Writable<AnalysisProject, undefined>): readonly CallOf<AnalysisOperations>[] {
  const { key } = change;
  switch (change.action) {
    case "delete":
      return change.live.name !== key || change.kept.includes(claimOf(key))
        ? []
        : [call("deleteProject", { name: key }, [change])];
    case "update":
      return [call("updateProject", { name: change.live.name, new_name: key }, [change])];
    case "create": {
      const { importFrom } = change.desired;
      if (importFrom === undefined) return [];
      const { sourceUrl: sourceURL, admin: sourceAdmin, password: sourcePassword } = importFrom;
      const args = {
        project: key,
        sourceURL,
        sourceAdmin,
        ...(sourcePassword === undefined ? {} : { sourcePassword }),
      };
      return [call("importProject", args, [change])];
    }
  }
}
