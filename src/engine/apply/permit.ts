import { operationsOf } from "../../clients/find-service.ts";
import type { PlannedCall } from "../../core/call.ts";
import { ProblemError } from "../../core/problem.ts";
import type { Plan } from "../../core/run/plan.ts";
import type { WritePermit } from "../../core/run/publishing.ts";
import type { Service } from "../../core/service.ts";
import { canonicalJson, type JsonObject, own, sameJson } from "../../core/text/json.ts";
import { withRun } from "../../core/trigger.ts";
import { revokingCall } from "../secrets/deliver.ts";
import type { Session, Sessions } from "../sessions.ts";

/** A call that can be made once. */
type Permit = Pick<PlannedCall, "service" | "operation" | "args" | "deliver" | "parts">;

/**
 * Returns sessions that make only the calls of a plan, matched by service, operation, arguments and count: each planned call
 * once; its parts after the service has refused the whole; the call that revokes an issued secret; the triggers. Anything else
 * is refused with `ProblemError` SP4006 before anything is sent, whatever the cause: the executor, a bug in it, or a plan that
 * was changed after it was checked. Calls whose id is in `withheld` are not permitted either.
 */
export function permitted(
  sessions: Sessions,
  plan: Plan,
  run: string,
  withheld: { has(id: number): boolean } = new Set<number>(),
): Sessions {
  const permits = new Map<string, Permit[]>();
  const grant = (permit: Permit) => {
    const key = keyOf(permit);
    permits.set(key, [...(permits.get(key) ?? []), permit]);
  };
  for (const call of plan.calls) if (!withheld.has(call.id)) grant(call);
  for (const call of plan.triggers ?? []) if (!withheld.has(call.id)) grant({ ...call, args: withRun(call.args, run) });

  async function call(service: string, session: Session, operation: string, args: JsonObject): Promise<unknown> {
    const permit = permits.get(keyOf({ service, operation, args }))?.shift();
    if (permit === undefined)
      throw new ProblemError({
        code: "SP4006",
        service,
        operation,
        message: `The plan has no further call of ${operation} with these arguments, so the call was not made.`,
        hint: "Plan again. If it happens again, this is a bug in setpoint.",
      });
    try {
      const answer = await session.call(operation, args);
      const undo = permit.deliver && revokingCall(permit.deliver, answer);
      if (undo !== undefined) grant({ service, ...undo });
      return answer;
    } catch (error) {
      permit.parts?.forEach(grant);
      throw error;
    }
  }

  return new Map(
    [...sessions].map(([service, session]): [string, Session] => [
      service,
      {
        ...session,
        call: (operation, args) => call(service, session, operation, args),
        get requests() {
          return session.requests;
        },
      },
    ]),
  );
}

function keyOf({ service, operation, args }: Permit): string {
  return canonicalJson([service, operation, args]);
}

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
