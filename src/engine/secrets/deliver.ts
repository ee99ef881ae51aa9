import type { PlannedCall } from "../../core/call.ts";
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
  const members = isObject(answer) ? answer : {};
  const secret = members[delivery.from];
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
    const { operation, argument, from } = delivery.otherwise;
    const named = members[from];
    if (typeof named !== "string" && typeof named !== "number") return false;
    const args = { [argument]: named };
    try {
      await journal.write({ event: "take back", id, operation, args });
      await session.call(operation, args);
      return true;
    } catch (error) {
      if (error instanceof ProblemError) return false;
      throw error;
    }
  }
}
