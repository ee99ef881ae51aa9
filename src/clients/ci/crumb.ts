import { z } from "zod";
import { compareVersions, isVersion } from "../../core/version.ts";
import { type Answer, header, jsonIfAny } from "../http/answer.ts";
import { cookieJar } from "../http/cookies.ts";
import { read } from "../table.ts";
import { Crumb } from "./records.ts";

/** The one expression to which the server answers text instead of XML. */
const crumbLine = "concat(//crumbRequestField,':',//crumb)";

/** Both forms of reading a crumb. @see docs/api/ci.md, crumbs */
export const crumbOperations = {
  getCrumb: read({
    summary: "The crumb that requests which change something must carry.",
    method: "GET",
    path: "/crumbIssuer/api/json",
    args: z.object({}),
    result: Crumb,
  }),
  getCrumbXml: read({
    summary: "The same crumb, read as text of the form field:crumb.",
    method: "GET",
    path: "/crumbIssuer/api/xml?xpath",
    answer: "text",
    args: z.object({ xpath: z.literal(crumbLine).default(crumbLine) }),
    result: z
      .string()
      .trim()
      .regex(/^[^:\s]+:\S+$/, "expected field:crumb")
      .transform(splitCrumb),
  }),
} as const;

function splitCrumb(line: string): Crumb {
  const colon = line.indexOf(":");
  return { crumbRequestField: line.slice(0, colon), crumb: line.slice(colon + 1) };
}

/**
 * The header fields of a request that changes something: the crumb, and the session that it is bound to where the
 * server's version has it so. @see docs/api/ci.md, crumbs
 */
export function crumbHeaders(answer: Answer, now: number): Readonly<Record<string, string>> {
  const { crumbRequestField, crumb } = Crumb.parse(jsonIfAny(answer));
  const jar = cookieJar();
  jar.store(answer, now);
  return {
    [crumbRequestField.toLowerCase()]: crumb,
    ...(isSessionBound(header(answer, "x-jenkins")) ? jar.header() : {}),
  };
}

/** Whether the server did not take the crumb, as after its session ended. @see docs/facts.md, ci */
export function crumbRefused(answer: Answer): boolean {
  return answer.status === 403 && answer.body.includes("No valid crumb");
}

/** The last version whose crumbs stand alone is below this one. */
const firstBound = "2.176.2";

/** A server that does not tell its version is taken for a newer one: a session more than needed does no harm. */
function isSessionBound(version = ""): boolean {
  return !isVersion(version) || compareVersions(version, firstBound) >= 0;
}
