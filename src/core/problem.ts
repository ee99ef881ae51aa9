import { z } from "zod";
import { objectOf } from "./readonly.ts";
import { Address, Place } from "./resource.ts";

/** Every code a problem can have, with what it means in general. Codes are stable: scripts and searches rely on them. */
export const problemCodes = {
  SP1001: "The file is not readable YAML.",
  SP1002: "A value has the wrong type or form.",
  SP1003: "A required field is missing.",
  SP1004: "A field is unknown.",
  SP1005: "Duplicate key in a mapping.",
  SP1006: "Two documents declare the same resource.",
  SP1007: "A variable has no value.",
  SP1008: "The kind is unknown.",
  SP1009: "The service is unknown, or the kind does not belong to it.",
  SP1010: "A reference names something that is neither declared nor live.",
  SP1011: "The file is too large, too deeply nested, or expands to too much.",
  SP1012: "The file is not UTF-8 text.",
  SP1013: "The workspace file, or a file that it names, is missing.",
  SP1014: "A name is reserved.",
  SP1015: "A secret is not allowed here, or is not a reference.",
  SP1016: "Two resources manage the same thing.",
  SP1017: "A referenced file cannot be read or written.",
  SP1018: "A selection matches nothing.",
  SP1019: "A policy of the workspace refuses the document.",
  SP1020: "A live value cannot be written into the manifest.",
  SP1021: "The file is not a saved plan, or no report can be made from it.",
  SP1022: "Once the changed rules are merged, this is judged differently.",
  SP1023: "The trusted rules do not have the resource's service, so it is not queried.",
  SP2001: "Resources depend on each other in a cycle.",
  SP2002: "A guard refuses the plan.",
  SP2003: "The resource depends on one whose state is unknown.",
  SP2004: "The saved plan is out of date.",
  SP2005: "The saved plan was changed.",
  SP2006: "The shards do not belong together.",
  SP2007: "The shard that looks at the resource is missing.",
  SP3001: "Credentials are missing.",
  SP3002: "Credentials are bound to another address.",
  SP3003: "The service did not accept the credentials.",
  SP3004: "The account lacks a permission.",
  SP3005: "The service has no such object.",
  SP3006: "The object was changed by someone else.",
  SP3007: "The service refuses the request.",
  SP3008: "The service's limit was reached.",
  SP3009: "The service failed.",
  SP3010: "Several objects of the service match where one was expected.",
  SP3101: "The service did not answer in time.",
  SP3102: "The service cannot be reached.",
  SP3103: "The answer is not what the service documents.",
  SP3104: "The answer is incomplete.",
  SP3105: "The answer to a write was lost.",
  SP3106: "A TLS certificate is not accepted.",
  SP4001: "A change did not take effect.",
  SP4002: "Skipped because something it depends on failed.",
  SP4003: "The live state has changed since the plan.",
  SP4004: "A write was attempted in read-only mode.",
  SP4005: "A new secret did not reach its destination.",
  SP4006: "The call is not in the plan.",
  SP4007: "A change cannot be undone.",
  SP5001: "The command line is wrong.",
  SP5002: "git cannot answer.",
  SP5003: "The run was interrupted.",
  SP5004: "The journal cannot be written.",
  SP5005: "Another run is writing to the service.",
  SP5006: "Another run has the lease, or the lease was lost.",
  SP5007: "A journal is damaged.",
  SP5008: "The queue, or a worker, is not available.",
  SP5009: "A worker could not read.",
} as const;

export const ProblemCode = z
  .enum(Object.keys(problemCodes).filter(isProblemCode))
  .describe("A stable code; see the list of problems.");
export type ProblemCode = z.infer<typeof ProblemCode>;

function isProblemCode(text: string): text is keyof typeof problemCodes {
  return Object.hasOwn(problemCodes, text);
}

/** A coded error with its place and its hint. Messages never contain a secret. */
export const Problem = objectOf({
  code: ProblemCode,
  message: z.string().describe("What is wrong and what was expected, in one or two sentences."),
  hint: z.string().exactOptional().describe("What to do next."),
  place: Place.exactOptional(),
  other: Place.exactOptional().describe(
    "A second place that belongs to the problem, such as the first of two equal keys.",
  ),
  service: z.string().exactOptional(),
  operation: z.string().exactOptional(),
  address: Address.exactOptional(),
  refersTo: Address.exactOptional().describe("What the resource refers to, if that reference is the problem."),
}).meta({ id: "Problem" });
export type Problem = z.infer<typeof Problem>;

/** The result for wrong input. Nothing was done. */
export interface Wrong {
  readonly is: "wrong";
  readonly problems: readonly Problem[];
  /** How many problems to show to a person, as the workspace says. */
  readonly shown?: number;
}

/** Carries problems through code that throws. */
export class ProblemError extends Error {
  readonly problems: readonly Problem[];
  constructor(...problems: readonly Problem[]) {
    super(problems.map((problem) => `${problem.code} ${problem.message}`).join("\n"));
    this.name = "ProblemError";
    this.problems = problems;
  }
}

/** Returns the problems that a `ProblemError` carries. Throws any other error again, since no caller can handle it. */
export function problemsOf(error: unknown): readonly Problem[] {
  if (error instanceof ProblemError) return error.problems;
  throw error;
}

/** Returns the first of these problems, and throws any other error too. */
export function firstProblem(error: unknown): Problem {
  const [problem] = problemsOf(error);
  if (problem === undefined) throw error;
  return problem;
}

/** Whether an error carries only problems with these codes. */
export function hasOnly(error: unknown, ...codes: readonly ProblemCode[]): error is ProblemError {
  return error instanceof ProblemError && error.problems.every(({ code }) => codes.includes(code));
}

/**
 * Returns the result of a read; undefined if the service answers that it has no such object (`ProblemError` SP3005), or
 * shows the account none; with `words`, only if its message matches them. This is the only way to conclude from a failed
 * read that something is absent. Throws every other failure, including a mixed one, so that unknown is never treated as
 * absent.
 */
export async function unlessMissing<Result>(read: Promise<Result>, words?: RegExp): Promise<Result | undefined> {
  try {
    return await read;
  } catch (error) {
    if (hasOnly(error, "SP3005") && error.problems.every(({ message }) => words?.test(message) ?? true))
      return undefined;
    throw error;
  }
}
