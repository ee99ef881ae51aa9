import { describeIssues } from "../core/issues.ts";
import type { JsonObject } from "../core/json.ts";
import type { Effect, Operation } from "../core/operation.ts";
import { ProblemError } from "../core/problem.ts";
import type { Service } from "../core/service.ts";
import { nearest } from "../core/words.ts";
import { operationsOf } from "./find-service.ts";

/** The row of an operation that may be sent. Throws `ProblemError`. */
export function permitted(service: Service, mode: Effect, name: string): Operation {
  const table = operationsOf(service.role);
  const operation = Object.hasOwn(table, name) ? table[name] : undefined;
  if (operation === undefined) {
    const meant = nearest(name, Object.keys(table));
    throw new ProblemError({
      code: "SP1002",
      message: `Services of role ${service.role} have no operation ${name}.`,
      hint: meant === undefined ? `Operations: ${Object.keys(table).join(", ")}.` : `Did you mean ${meant}?`,
    });
  }
  if (mode === "read" && operation.effect === "write")
    throw new ProblemError({
      code: "SP4004",
      message: `${name} is a write, and only reads are allowed here.`,
      hint: "Only an apply may write.",
    });
  if (service.wire === "documented" && operation.ext !== undefined)
    throw new ProblemError({
      code: "SP3007",
      message: `${name} is not in the service's API documents, so it is not sent under wire: documented.`,
      hint: `Set wire: product where the service is the product (${operation.ext}).`,
    });
  return service.wire === "product" && operation.product !== undefined
    ? { ...operation, path: operation.product }
    : operation;
}

/** Arguments as the row sends them, such as a list as comma list. Throws `ProblemError` SP1002. */
export function checkedArgs(operation: Operation, args: JsonObject): JsonObject {
  const checked = operation.args.safeParse(args);
  if (checked.success) return checked.data;
  throw new ProblemError({
    code: "SP1002",
    message: `The arguments are wrong: ${describeIssues(checked.error.issues, args, "the call")}.`,
    hint: `Arguments: ${Object.keys(operation.args.shape).join(", ")}.`,
  });
}
