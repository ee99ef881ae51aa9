import { type Answer, expectedText, isHtml, parseJson, unexpected } from "../http/answer.ts";
import type { Failure } from "../http/outcome.ts";
import { authorization, type Protocol } from "../http/protocol.ts";

/** Stands before the JSON of every answer. @see docs/facts.md, across services */
const guardLine = ")]}'";
const expected = `JSON after the line ${guardLine}`;

/** Protocol of the code review service. @see docs/api/review.md, requests */
export const reviewProtocol: Protocol = {
  headers: (_service, credentials) => ({ accept: "application/json", ...authorization(credentials) }),
  failure: reviewFailure,
  decode: decodeReview,
};

/** Errors are plain text. */
function reviewFailure(answer: Answer): Failure | undefined {
  if (answer.status < 300) return undefined;
  return { status: answer.status, said: isHtml(answer) ? undefined : answer.body.toString("utf8") };
}

function decodeReview(answer: Answer): unknown {
  const text = expectedText(answer, expected, /\bjson\b/i);
  if (text === "") return undefined;
  const guarded = /^\)\]\}'\r?\n/.exec(text)?.[0];
  if (guarded === undefined) throw unexpected(expected, "text without that line");
  return parseJson(text.slice(guarded.length), expected);
}
