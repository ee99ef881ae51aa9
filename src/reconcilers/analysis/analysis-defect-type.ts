import { z } from "zod";
import type { AnalysisOperations } from "../../clients/analysis/operations.ts";
import type { DefectTypeRecord } from "../../clients/analysis/records.ts";
import { callOf } from "../../core/call.ts";
import type { Observation } from "../../core/change.ts";
import type { Kind } from "../../core/kind.ts";
import { type Problem, ProblemError } from "../../core/problem.ts";
import { Text } from "../shared/fields.ts";
import { inNoProject, listParts, observeParts, ofProject } from "./shared/parts.ts";

const call = callOf<AnalysisOperations>();

const AnalysisDefectType = z.strictObject({
  project: Text.describe("Name of the project."),
  code: Text.describe("Code of the defect type, such as `ABV.GENERAL`."),
  enabled: z.boolean().describe("Whether the project looks for issues of this type."),
});
type AnalysisDefectType = z.infer<typeof AnalysisDefectType>;

/** Whether a project looks for one type of defect. Checkers provide the types; no operation creates or deletes one. */
export const analysisDefectType: Kind<AnalysisDefectType, AnalysisOperations, undefined> = {
  kind: "AnalysisDefectType",
  role: "analysis",
  summary: "Whether a project of the static analysis server looks for a type of defect.",
  spec: AnalysisDefectType,
  budget: { reads: "1 defectTypes per project", writes: "1 updateDefectType per defect type" },
  notes: `Checkers provide the defect types: a type that a project does not have needs a person. The shape of the service's
records is unconfirmed; a type is unknown if its record does not say whether it is enabled. Older servers list only enabled types: if a
list has no disabled one, what it lacks counts as disabled.`,
  permanent: true,
  key: ({ project, code }) => `${project}:${code}`,
  scope: ({ project }) => `defect types of ${project}`,
  references: ofProject,

  observe: (read, _scope, wanted) =>
    observeParts(read, wanted, analysisDefectType, (project) => read.defectTypes({ project }), observeDefectType),

  list: (read, _now, leaveOut) => listParts(read, (project) => read.defectTypes({ project }), liveDefectType, leaveOut),

  needsPerson: (change) =>
    change.action === "create"
      ? `Project ${change.desired.project} has no defect type ${change.desired.code}: add the checker that finds it.`
      : undefined,

  compile: (changes) =>
    changes.flatMap((change) => {
      if (change.action !== "update") return [];
      const { project, code, enabled } = change.desired;
      return [call("updateDefectType", { project, code, enabled }, [change])];
    }),
};

function observeDefectType(
  spec: AnalysisDefectType,
  records: readonly DefectTypeRecord[] | undefined,
): Observation<AnalysisDefectType, undefined> {
  if (records === undefined) return inNoProject(spec);
  const record = records.find(({ code }) => code === spec.code);
  // @see docs/facts.md, Analysis: the list of enabled defect types
  const isHidden = records.length > 0 && records.every(({ enabled }) => enabled === true);
  if (record === undefined && isHidden)
    return {
      is: "present",
      spec: { ...spec, enabled: false },
      marker: undefined,
      note: "not listed: disabled in the project, or not in it at all",
    };
  if (record === undefined) return { is: "absent", marker: undefined };
  const { enabled } = record;
  return enabled === undefined
    ? { is: "unknown", problem: untold(spec.project, record) }
    : { is: "present", spec: { ...spec, enabled }, marker: undefined };
}

function liveDefectType(project: string, record: DefectTypeRecord): AnalysisDefectType {
  const { code, enabled } = record;
  if (enabled === undefined) throw new ProblemError(untold(project, record));
  return { project, code, enabled };
}

function untold(project: string, { code }: DefectTypeRecord): Problem {
  return {
    code: "SP3103",
    operation: "defectTypes",
    message: `The service does not report whether the defect type ${code} of project ${project} is enabled.`,
    hint: "Inspect the response with setpoint call; its format is not documented.",
  };
}
