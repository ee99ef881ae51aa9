import { z } from "zod";
import type { AnalysisOperations } from "../../clients/analysis/operations.ts";
import type { ModuleRecord } from "../../clients/analysis/records.ts";
import { type CallOf, callOf } from "../../core/call.ts";
import type { Observation, Writable } from "../../core/change.ts";
import type { Kind } from "../../core/kind.ts";
import { listParts, observeParts } from "./shared/parts.ts";

const call = callOf<AnalysisOperations>();

const AnalysisModule = z.strictObject({
  project: z.string().min(1).describe("Name of the project."),
  name: z.string().min(1).describe("Name of the module."),
  allowAll: z.boolean().optional().describe("Whether all users have access to the module."),
  paths: z
    .array(z.string().min(1))
    .refine((paths) => new Set(paths).size === paths.length, "expected each pattern once")
    .optional()
    .describe("Patterns of the paths that belong to the module, in any order."),
});
type AnalysisModule = z.infer<typeof AnalysisModule>;

/** A named set of a project's files, and whether all users may see the issues in them. */
export const analysisModule: Kind<AnalysisModule, AnalysisOperations, undefined> = {
  kind: "AnalysisModule",
  role: "analysis",
  summary: "A module of a project on the static analysis server: a named set of paths.",
  spec: AnalysisModule,
  budget: { reads: "1 modules per project", writes: "1 createModule, updateModule or deleteModule per module" },
  notes: `Some servers return modules without \`allowAll\`. A manifest that sets it then makes the module unknown: leave
the field out.`,
  key: ({ project, name }) => `${project}:${name}`,
  scope: ({ project }) => `modules of ${project}`,
  references: ({ project }) => [{ kind: "AnalysisProject", identity: { name: project } }],
  normalize: ({ paths, ...spec }) => ({ ...spec, ...(paths === undefined ? {} : { paths: [...paths].sort() }) }),

  observe: (read, _scope, wanted) =>
    observeParts(read, wanted, analysisModule, (project) => read.modules({ project }), observeModule),

  list: (read) => listParts(read, (project) => read.modules({ project }), liveModule),

  compile: (changes) => changes.map(callFor),

  risk: (change) => {
    if (change.action === "delete")
      return ["irreversible", ...(change.live.allowAll === false ? (["widens-access"] as const) : [])];
    const before = change.action === "update" ? change.live.allowAll : true;
    const { allowAll: after = before } = change.desired;
    if (after === before) return [];
    return after === true ? ["widens-access"] : ["narrows-access"];
  },
};

function liveModule(project: string, { name, allow_all: allowAll, paths = [] }: ModuleRecord): AnalysisModule {
  return { project, name, paths, ...(allowAll === undefined ? {} : { allowAll }) };
}

function observeModule(
  spec: AnalysisModule,
  records: readonly ModuleRecord[] = [],
): Observation<AnalysisModule, undefined> {
  const record = records.find(({ name }) => name === spec.name);
  if (record === undefined) return { is: "absent", marker: undefined };
  if (spec.allowAll === undefined || record.allow_all !== undefined)
    return { is: "present", spec: liveModule(spec.project, record), marker: undefined };
  return {
    is: "unknown",
    problem: {
      code: "SP3103",
      operation: "modules",
      message: `The service does not report whether all users have access to the module ${spec.name}.`,
      hint: "Leave allowAll out: it cannot be read.",
    },
  };
}

function callFor(change: Writable<AnalysisModule, undefined>): CallOf<AnalysisOperations> {
  switch (change.action) {
    case "delete": {
      const { project, name } = change.live;
      return call("deleteModule", { project, name }, [change]);
    }
    case "create":
      return call(
        "createModule",
        argsOf(change.desired, () => true),
        [change],
      );
    case "update": {
      const changed = new Set(change.fields.map(({ path: [field] }) => field));
      return call(
        "updateModule",
        argsOf(change.desired, (field) => changed.has(field)),
        [change],
      );
    }
  }
}

function argsOf({ project, name, allowAll, paths }: AnalysisModule, isSent: (field: keyof AnalysisModule) => boolean) {
  return {
    project,
    name,
    ...(allowAll !== undefined && isSent("allowAll") ? { allow_all: allowAll } : {}),
    ...(paths !== undefined && isSent("paths") ? { paths } : {}),
  };
}
