import { decodeHTML } from "entities/decode";
import { z } from "zod";
import { type CallOf, callOf } from "../../core/call.ts";
import { once } from "../../core/once.ts";
import { unlessMissing } from "../../core/problem.ts";
import { compareVersions, isVersion } from "../../core/text/version.ts";
import type { Trigger } from "../../core/trigger.ts";
import { type Supported, signedInAs, versionFound } from "../check.ts";
import { type Answer, decodeJson, header, isHtml, jsonIfAny } from "../http/answer.ts";
import type { Failure } from "../http/outcome.ts";
import { authorization } from "../http/protocol.ts";
import { describeService } from "../service.ts";
import { type CiOperations, ciOperations, crumbOperations } from "./operations.ts";
import { Crumb } from "./records.ts";
import { restartAndAwait } from "./restart.ts";
import { scriptFailure } from "./script.ts";

/** Errors are HTML pages, or a script's outcome behind status 200. Changes are answered by redirects to a page. */
function ciFailure(answer: Answer): Failure | undefined {
  const { status } = answer;
  if (status >= 400) {
    const text = answer.body.toString("utf8");
    const page = isHtml(answer) ? headline(text) : undefined;
    // An expression that does not match is answered with one sentence that is labelled as HTML.
    const said = isHtml(answer) && text.includes("<") ? page : text;
    const own = header(answer, "x-jenkins") !== undefined || page !== undefined;
    return { status, said, own, hint: status === 409 ? notBuildable : undefined };
  }
  if (status < 300) return scriptFailure(answer);
  const [target = ""] = header(answer, "location")?.split("?") ?? [];
  if (/\/\d+\/(term|kill)\/$/.test(target))
    return { status: 404, said: `it redirects to ${target}, which does not exist`, own: true, hint: noPipeline };
  return /\/(login|securityRealm\/commenceLogin)$/.test(target) ? { status } : undefined;
}

/** @see docs/facts.md, CI: the ways to end a build */
const noPipeline = "Nothing was ended: only builds of pipelines can be terminated or killed. Use stopBuild.";

/** The only conflict that the server knows. @see docs/facts.md, ci */
const notBuildable = "The job cannot be started: it may be disabled or a folder.";

/** How many characters of a page are searched for its message. */
const longestPage = 50_000;

/**
 * Returns what an error page says, in one line. Undefined for any page other than those of the server and its web
 * servers.
 * @see docs/facts.md, CI: The web server of Hudson 2.2.1
 */
function headline(whole: string): string | undefined {
  const page = whole.slice(0, longestPage);
  const [, exception, thrown = ""] =
    /<h1>Status Code: \d+<\/h1>Exception: ([^<]*)<br>Stacktrace: <pre>([^<\n]*)/.exec(page) ?? [];
  const said =
    /<title>Error \d+ ([^<]+)<\/title>/i.exec(page)?.[1] ??
    (exception === "" ? thrown.replace("(none)", "") : exception) ??
    /(?<![^\s<>])[^\s<>]+ is missing the [^<]{1,200}? permission/.exec(page)?.[0] ??
    /<div id="error-description"[^>]*>.*?<h2[^>]*>([^<]+)<\/h2>/s.exec(page)?.[1];
  return said === undefined ? undefined : decodeHTML(said);
}

/**
 * Returns the header fields of a request that changes something: the crumb, and the session that it is bound to if the
 * server's version binds it. @see docs/api/ci.md, crumbs
 */
function crumbHeaders(answer: Answer, session: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { crumbRequestField, crumb } = Crumb.parse(jsonIfAny(answer));
  // A server that reports no version is treated as a newer one: an unneeded session does no harm.
  const version = header(answer, "x-jenkins") ?? "";
  return {
    [crumbRequestField.toLowerCase()]: crumb,
    ...(isVersion(version) && compareVersions(version, firstBound) < 0 ? {} : session),
  };
}

/** Crumbs are bound to a session from this version on. */
const firstBound = "2.176.2";

/** @see docs/decisions/versions.md: `Jenkins.get()`, which the scripts use */
const ciVersions: Supported = { since: "2.98", why: "scripts can look up the server by the name that setpoint uses" };

const job = once(() =>
  z.strictObject({
    name: z.string().min(1).describe("The job, with its folders: `folder/job`."),
    parameters: ciOperations.buildJobWithParameters.args.shape.parameters
      .optional()
      .describe("The job's parameters, by name; those left out get their defaults."),
  }),
);
const call = callOf<CiOperations>();

const startJob: Trigger<z.infer<ReturnType<typeof job>>, CallOf<CiOperations>> = {
  summary: "Starts a job, without waiting for its end.",
  get spec() {
    return job();
  },
  call: ({ name, parameters }) =>
    parameters === undefined
      ? call("buildJob", { job: name }, [])
      : call("buildJobWithParameters", { job: name, parameters }, []),
};

/** The CI server (Jenkins). @see docs/api/ci.md */
export const ciService = describeService({
  role: "ci",
  types: ["jenkins"],
  roots: {
    updates: { description: "of a CI server's update site", default: () => "https://updates.jenkins.io" },
  },
  credentials: {
    accepted: [
      ["USERNAME", "TOKEN"],
      ["USERNAME", "PASSWORD"],
    ],
    source: "the menu of your name > Security > API Token > Add new Token",
  },
  protocol: {
    headers: (_service, credentials) => authorization(credentials),
    failure: ciFailure,
    decode: decodeJson,
    ticket: {
      get operation() {
        return crumbOperations.getCrumb;
      },
      headers: crumbHeaders,
      /** For example after its session ended. @see docs/facts.md, ci */
      refused: ({ status, body }) => status === 403 && body.includes("No valid crumb"),
    },
  },
  get operations() {
    return ciOperations;
  },
  triggers: { job: startJob },
  checks: {
    async account(read, { username, wire }) {
      // A server without a crumb issuer says so, but only to a user who is signed in.
      await (wire === "product" ? read.getVersion({}) : unlessMissing(read.getCrumb({})));
      return signedInAs(username);
    },
    optional: {
      version: async (read) => versionFound(ciVersions, (await read.getVersion({})).version),
      newest: async (read) => ({ says: `${await read.getLatestStableCore({})} is the newest stable version` }),
    },
  },
  proof: { product: "getVersion", documented: "listPlugins" },
  versions: ciVersions,
  awaited: { restart: restartAndAwait, safeRestart: restartAndAwait },
});
