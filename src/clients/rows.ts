import { beyondProblem } from "../core/beyond.ts";
import { onceFor } from "../core/once.ts";
import type { Effect, Operation } from "../core/operation.ts";
import { ProblemError } from "../core/problem.ts";
import type { Service } from "../core/service.ts";
import { describeIssues } from "../core/text/issues.ts";
import { type JsonObject, own } from "../core/text/json.ts";
import { nearest } from "../core/text/words.ts";
import { operationsOf } from "./find-service.ts";

/** A row as it is sent to the product. */
const productRow = onceFor((row: Operation) => {
  const { path, body, product = path, productBody = body } = row;
  return { ...row, path: product, body: productBody };
});

/**
 * Returns a function that finds a row of a service's table, checks the call against it, and returns both as they are sent.
 * Throws `ProblemError` SP1002, SP3007, SP4004.
 */
export function rowsOf(service: Service, mode: Effect) {
  const table = operationsOf(service.role);
  return (name: string, args: JsonObject) => {
    const row = own(table, name);
    if (row === undefined) throw unknownOperation(service, name, Object.keys(table));
    const operation = service.wire === "product" ? productRow(row) : row;
    if (mode === "read" && operation.effect === "write")
      throw new ProblemError({
        code: "SP4004",
        message: `${name} is a write, but only reads are allowed here.`,
        hint: "Only an apply can write.",
      });
    const beyond = service.wire === "documented" ? beyondProblem(name, operation, args) : undefined;
    if (beyond !== undefined) throw new ProblemError(beyond);
    const checked = checkedArgs(operation, args);
    return { operation, args: (service.wire === "product" ? operation.productArgs?.(checked) : undefined) ?? checked };
  };
}

function unknownOperation({ role }: Service, name: string, names: readonly string[]): ProblemError {
  const meant = nearest(name, names);
  return new ProblemError({
    code: "SP1002",
    message: `Services with the role ${role} have no operation ${name}.`,
    hint: meant === undefined ? `Operations: ${names.join(", ")}.` : `Did you mean ${meant}?`,
  });
}

/**
 * Returns the arguments as the row sends them, for example a list as a comma-separated string. Throws `ProblemError`
 * SP1002.
 */
function checkedArgs(operation: Operation, args: JsonObject): JsonObject {
  const checked = operation.args.safeParse(args);
  if (checked.success) return checked.data;
  throw new ProblemError({
    code: "SP1002",
    message: `The arguments are wrong: ${describeIssues(checked.error.issues, args, "the call")}.`,
    hint: `Arguments: ${Object.keys(operation.args.shape).join(", ") || "none"}.`,
  });
}
