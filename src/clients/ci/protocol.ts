import { decodeHTML } from "entities";
import { type Answer, expectedText, header, isHtml, parseJson } from "../http/answer.ts";
import type { Failure } from "../http/failure.ts";
import { authorization, type Protocol } from "../http/protocol.ts";
import { crumbHeaders, crumbOperations, crumbRefused } from "./crumb.ts";
import { scriptFailure } from "./script.ts";

/** Protocol of the CI server. @see docs/api/ci.md */
export const ciProtocol: Protocol = {
  headers: (_service, credentials) => authorization(credentials),
  failure: ciFailure,
  decode: decodeCi,
  ticket: { operation: crumbOperations.getCrumb, headers: crumbHeaders, refused: crumbRefused },
};

/** Errors are HTML pages, or a script's outcome behind status 200. Changes are answered by redirects to a page. */
function ciFailure(answer: Answer): Failure | undefined {
  const { status } = answer;
  if (status >= 400) {
    const said = isHtml(answer) ? headline(answer) : answer.body.toString("utf8");
    return status === 409 ? { status, said, hint: notBuildable } : { status, said };
  }
  if (status < 300) return scriptFailure(answer);
  const [target = ""] = header(answer, "location")?.split("?") ?? [];
  return /\/(login|securityRealm\/commenceLogin)$/.test(target) ? { status } : undefined;
}

/** The only conflict that the server knows. @see docs/facts.md, ci */
const notBuildable = "The job cannot be started: it may be disabled, or be a folder.";

/** What an error page says in one line: the server's own pages and those of its web server are known, no others. */
function headline(answer: Answer): string | undefined {
  const page = answer.body.toString("utf8");
  const said =
    /<title>Error \d+ ([^<]+)<\/title>/i.exec(page)?.[1] ??
    /[^\s<>]+ is missing the [^<]+? permission/.exec(page)?.[0] ??
    /<div id="error-description">.*?<h2[^>]*>([^<]+)<\/h2>/s.exec(page)?.[1];
  return said === undefined ? undefined : decodeHTML(said);
}

function decodeCi(answer: Answer): unknown {
  const text = expectedText(answer, "JSON", /\bjson\b/i);
  return text === "" ? undefined : parseJson(text, "JSON");
}
