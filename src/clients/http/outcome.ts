import type { z } from "zod";
import { describeIssues, type Issue } from "../../core/issues.ts";
import type { Effect } from "../../core/operation.ts";
import type { Problem, ProblemError } from "../../core/problem.ts";
import { type Answer, header, unexpected } from "./answer.ts";
import { type Failure, failureProblem } from "./failure.ts";
import { showable } from "./redact.ts";
import type { Attempt } from "./retry.ts";

/** The longest that is shown of a service's own words, in characters. */
const longestSaid = 300;

/**
 * Sorts an answer as the protocol says; a redirect is a failure too, but where `redirects` are what the operation
 * answers and the protocol does not object.
 */
export function judge(
  answer: Answer,
  failure: Failure | undefined,
  secrets: readonly string[],
  redirects = false,
): Attempt {
  if (answer.status >= 300 && answer.status < 400 && !(redirects && failure === undefined)) {
    const [target = ""] = header(answer, "location")?.split("?") ?? [];
    return {
      is: "failed",
      answer,
      failure: { status: answer.status, location: showable(target, secrets, longestSaid) },
    };
  }
  if (failure === undefined) return { is: "answered", answer };
  const said = failure.said === undefined ? undefined : showable(failure.said, secrets, longestSaid);
  return { is: "failed", answer, failure: { ...failure, said } };
}

/** Statuses of a gateway that passed the request on and lost the answer. */
const gatewayStatuses: readonly number[] = [502, 504];

/** The problem of an attempt that stays without a usable answer. A write whose answer was lost may have been carried out. */
export function attemptProblem(attempt: Exclude<Attempt, { readonly is: "answered" }>, effect: Effect): Problem {
  const problem = attempt.is === "failed" ? failureProblem(attempt.failure) : attempt.problem;
  const lost = attempt.is === "failed" ? gatewayStatuses.includes(attempt.failure.status) : attempt.is === "lost";
  if (effect === "read" || !lost) return problem;
  return {
    code: "SP3105",
    message: `The write may have been carried out, but its answer was lost. ${problem.message}`,
    hint: "Make a new plan: it reads the object and shows what is left to do.",
  };
}

/** The answer as the operation's row decodes it. Throws `ProblemError` SP3103 that names what does not fit. */
export function decodeResult<Result extends z.ZodType>(schema: Result, json: unknown): z.output<Result> {
  const decoded = schema.safeParse(json);
  if (decoded.success) return decoded.data;
  throw mismatch(decoded.error.issues, json);
}

/** The problem of an answer that is not as its schema says. */
export function mismatch(issues: readonly Issue[], json: unknown): ProblemError {
  return unexpected("the documented form", `something else: ${describeIssues(issues, json, "the answer")}`);
}
