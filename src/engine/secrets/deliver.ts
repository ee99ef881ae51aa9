import type { Call, PlannedCall } from "../../core/call.ts";
import { ProblemError } from "../../core/problem.ts";
import { Secret } from "../../core/secret.ts";
import type { OpenSink, SecretDelivery } from "../../core/sink.ts";
import { isObject } from "../../core/text/json.ts";
import type { Journal } from "../journal/journal.ts";
import type { Session } from "../sessions.ts";

/**
 * Puts the secret of an answer into its sink. If that fails, the new secret is revoked as the plan says, so that no secret
 * remains that nobody holds. Throws `ProblemError` SP4005.
 */
export async function deliver(
  { id, deliver: delivery }: PlannedCall & { readonly deliver: SecretDelivery },
  answer: unknown,
  sink: OpenSink,
  session: Session,
  journal: Pick<Journal, "write">,
): Promise<void> {
  const secret = isObject(answer) ? answer[delivery.from] : undefined;
  try {
    if (!(secret instanceof Secret))
      throw new ProblemError({ code: "SP4005", message: `The service's answer has no ${delivery.from}.` });
    await sink.put(secret);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const isGone = await takeBack();
    const consequence = isGone
      ? "It was revoked, and nothing else changed."
      : "It still exists; the next apply creates another one and revokes it.";
    throw new ProblemError(
      ...error.problems.map((problem) => ({ ...problem, message: `${problem.message} ${consequence}` })),
    );
  }

  async function takeBack(): Promise<boolean> {
    const undo = revokingCall(delivery, answer);
    if (undo === undefined) return false;
    try {
      await journal.write({ event: "take back", id, ...undo });
      await session.call(undo.operation, undo.args);
      return true;
    } catch (error) {
      if (error instanceof ProblemError) return false;
      throw error;
    }
  }
}

/** Returns the call that revokes the secret in an answer; undefined if the answer does not name it. */
export function revokingCall(
  { otherwise: { operation, argument, from } }: SecretDelivery,
  answer: unknown,
): Pick<Call, "operation" | "args"> | undefined {
  const named = isObject(answer) ? answer[from] : undefined;
  return typeof named === "string" || typeof named === "number"
    ? { operation, args: { [argument]: named } }
    : undefined;
}
