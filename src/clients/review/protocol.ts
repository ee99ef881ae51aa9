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
 * @see docs/facts.md, review: a missing object
 */
function isOwn(answer: Answer): boolean {
  const text = answer.body.toString("utf8");
  return (
    /^text\/plain;\s*charset=utf-8$/i.test(header(answer, "content-type") ?? "") &&
    /^[^\n{<]+\n$/.test(text) &&
    (text.startsWith("Not found: ") || !proxyWords.test(text))
  );
}

/** What proxies say about a path; a name can have the same words, such as `Backend Owners` or `landing-page`. */
const proxyWords = /\b404\b|\b(?:page|route|backend) (?:was )?not found\b|^no (?:\w+ )*(?:route|backend)s?\b/i;

function decodeReview(answer: Answer): unknown {
  const text = expectedText(answer, expected, /\bjson\b/i);
  if (text === "") return undefined;
  const guarded = /^\)\]\}'\r?\n/.exec(text)?.[0];
  if (guarded === undefined) throw unexpected(expected, "text without that line");
  return parseJson(text.slice(guarded.length), expected);
}
