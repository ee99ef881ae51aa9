import type { AnalysisReader } from "../../../clients/analysis/operations.ts";
import type { Observation } from "../../../core/change.ts";
import type { LeaveOut, Reference } from "../../../core/kind.ts";
import { ProblemError } from "../../../core/problem.ts";
import { listEach, refuse } from "../../shared/left-out.ts";
import { recordOf } from "../../shared/renames.ts";
import { asTold, observeAll } from "../../shared/told.ts";

/** Something that belongs to one project, such as a module. */
interface Part {
  readonly project: string;
}

/** Returns what a part refers to. */
export function ofProject({ project }: Part): readonly Reference[] {
  return [{ kind: "AnalysisProject", identity: { name: project } }];
}

/** Reads the records of a project. */
type RecordsOf<Record> = (project: string) => Promise<readonly Record[]>;

/**
 * Observes parts of one project from its records, which are undefined if the service has no such project. Throws
 * `ProblemError` if the project exists and its records cannot be read.
 */
export async function observeParts<Spec extends Part, Record>(
  read: AnalysisReader,
  wanted: readonly Spec[],
  kind: { readonly key: (spec: Spec) => string },
  recordsOf: RecordsOf<Record>,
  observeOne: (spec: Spec, records: readonly Record[] | undefined) => Observation<Spec, undefined>,
): Promise<ReadonlyMap<string, Observation<Spec, undefined>>> {
  const [project = ""] = wanted.map((spec) => spec.project);
  const records = await recordsIfThere(read, project, recordsOf);
  return observeAll(wanted, kind, (spec) => observeOne(spec, records));
}

/** Returns how a part is observed from its record, which has its name or its former one. `operation` lists the records. */
export function byName<Spec extends Parameters<typeof recordOf>[0] & Part, Record extends { readonly name: string }>(
  toSpec: (project: string, record: Record) => Spec,
  operation: string,
) {
  return (wanted: Spec, records: readonly Record[] = []): Observation<Spec, undefined> => {
    const record = recordOf(wanted, records);
    const live = record && toSpec(wanted.project, record);
    return asTold({ ...wanted, renamedFrom: undefined }, live, undefined, operation);
  };
}

/**
 * Reads the records of a project; undefined if the service has no project of that name. The error for this case is not
 * documented, so the list of projects decides.
 */
export async function recordsIfThere<Record>(
  read: AnalysisReader,
  project: string,
  recordsOf: RecordsOf<Record>,
): Promise<readonly Record[] | undefined> {
  try {
    return await recordsOf(project);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const projects = await read.projects({});
    if (projects.some(({ name }) => name === project)) throw error;
    return undefined;
  }
}

/** Returns the observation of a part whose project does not exist. */
export function inNoProject({ project }: Part): Observation<never, never> {
  return {
    is: "unknown",
    problem: {
      code: "SP3005",
      operation: "projects",
      message: `The service has no project ${project}.`,
      hint: "Check the name. What belongs to a project that is yet to be created can be read once it exists.",
    },
  };
}

/** Returns the parts of all projects, converted by `toSpec`. */
export async function listParts<Record, Spec>(
  read: AnalysisReader,
  recordsOf: RecordsOf<Record>,
  toSpec: (project: string, record: Record) => Spec,
  leaveOut: LeaveOut = refuse,
): Promise<readonly Spec[]> {
  return listEach(
    await read.projects({}),
    ({ name }) => `${name}:*`,
    async ({ name }) => (await recordsOf(name)).map((record) => toSpec(name, record)),
    leaveOut,
  );
}
