import { type Answer, expectedText, header, isHtml, parseJson, unexpected } from "../http/answer.ts";
import type { Failure } from "../http/outcome.ts";
import { authorization, type Protocol } from "../http/protocol.ts";

/** Precedes the JSON of every answer. @see docs/facts.md, across services */
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
  const said = isHtml(answer) ? undefined : answer.body.toString("utf8");
  return { status: answer.status, said, own: isOwn(answer) };
}

/**
 * Whether an error is one line of UTF-8 text, such as `Not found: core` or the name alone. The web server that the
 * service runs on answers in Latin-1; others answer with a status, a page or nothing.
 * @see docs/facts.md, review
 */
function isOwn(answer: Answer): boolean {
  const line = /^(?!404\b|.*\b(page|backend|route)\b)[^\n{<]+\n$/i;
  return (
    /^text\/plain;\s*charset=utf-8$/i.test(header(answer, "content-type") ?? "") &&
    line.test(answer.body.toString("utf8"))
  );
}

function decodeReview(answer: Answer): unknown {
  const text = expectedText(answer, expected, /\bjson\b/i);
  if (text === "") return undefined;
  const guarded = /^\)\]\}'\r?\n/.exec(text)?.[0];
  if (guarded === undefined) throw unexpected(expected, "text without that line");
  return parseJson(text.slice(guarded.length), expected);
}
