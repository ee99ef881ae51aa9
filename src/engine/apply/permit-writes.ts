import { operationsOf } from "../../clients/find-service.ts";
import { ProblemError } from "../../core/problem.ts";
import type { WritePermit } from "../../core/run/publishing.ts";
import type { Service } from "../../core/service.ts";
import { type JsonObject, own, sameJson } from "../../core/text/json.ts";
import type { Session } from "../sessions.ts";

/**
 * Returns the call function of a session that writes only what is permitted: an operation of effect `write` is sent only if a
 * permit names it and the call has all arguments of the permit. Any other write is refused with `ProblemError` SP4006 before
 * anything is sent.
 */
export function permittedWrites(
  session: Pick<Session, "call">,
  { name: service, role }: Pick<Service, "name" | "role">,
  permits: readonly WritePermit[],
): Session["call"] {
  const table = operationsOf(role);
  const isPermitted = (operation: string, args: JsonObject) =>
    own(table, operation)?.effect === "read" ||
    permits.some(
      (permit) =>
        permit.operation === operation &&
        Object.entries(permit.args).every(([name, value]) => sameJson(args[name], value)),
    );
  return async (operation, args) => {
    if (isPermitted(operation, args)) return session.call(operation, args);
    throw new ProblemError({
      code: "SP4006",
      service,
      operation,
      message: `${operation} with these arguments is not permitted here, so the call was not made.`,
      hint: "This is a bug in setpoint.",
    });
  };
}
