import { isObject } from "../../core/text/json.ts";
import type { Credentials } from "../credentials/credentials.ts";
import { type Answer, expectedText, isHtml, jsonIfAny, jsonLines, lineReader, parseJson } from "../http/answer.ts";
import type { Failure } from "../http/outcome.ts";
import type { Protocol } from "../http/protocol.ts";

/** Protocol of the static analysis server. @see docs/api/analysis.md, requests */
export const analysisProtocol: Protocol = {
  headers: () => ({ accept: "application/json" }),
  fields: identity,
  failure: analysisFailure,
  // Called for what does not begin with JSON. The media type is not documented, so any but HTML will do.
  decode: (answer) => parseJson(expectedText(answer, jsonLines, /./), jsonLines),
  readBody: lineReader,
};

function identity(credentials: Credentials): Readonly<Record<string, string>> {
  if (credentials.is !== "token" || credentials.username === undefined) return {};
  return { user: credentials.username, ltoken: credentials.token.reveal() };
}

/**
 * Errors are an object with a number as `status`, on any HTTP status; an issue record's `status` is text. One that comes
 * after records, in the last line, says that the list before it is not whole.
 * @see docs/facts.md, analysis
 */
function analysisFailure(answer: Answer): Failure | undefined {
  const body = jsonIfAny(answer) ?? jsonIfAny(lastLine(answer));
  if (isObject(body) && typeof body.status === "number" && typeof body.message === "string")
    return {
      status: body.status >= 400 && body.status < 600 ? body.status : Math.max(400, answer.status),
      said: body.message,
      own: true,
    };
  if (answer.status < 300) return undefined;
  return { status: answer.status, said: isHtml(answer) ? undefined : answer.body.toString("utf8") };
}

function lastLine(answer: Answer): Answer {
  const text = answer.body.toString("utf8").trimEnd();
  return { ...answer, body: Buffer.from(text.slice(text.lastIndexOf("\n") + 1)) };
}
