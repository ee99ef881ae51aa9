import { decodeHTML } from "entities/decode";
import { z } from "zod";
import { type CallOf, callOf } from "../../core/call.ts";
import { once } from "../../core/once.ts";
import { hasOnly, type Problem, ProblemError, unlessMissing } from "../../core/problem.ts";
import { compareVersions, isVersion } from "../../core/text/version.ts";
import type { Trigger } from "../../core/trigger.ts";
import { type Supported, signedInAs, versionFound } from "../check.ts";
import { type Answer, decodeJson, header, isHtml, jsonIfAny } from "../http/answer.ts";
import type { Clock } from "../http/clock.ts";
import type { Failure } from "../http/outcome.ts";
import { authorization } from "../http/protocol.ts";
import { type AwaitedCall, describeService, type SendCall } from "../service.ts";
import { type CiOperations, ciOperations, crumbOperations } from "./operations.ts";
import { Crumb, ServerVersion } from "./records.ts";
import { scriptFailure } from "./script.ts";

type Send = SendCall<keyof CiOperations>;

/** Milliseconds between two polls, and the number of polls: 10 minutes, plus what each poll takes. */
const pause = 2000;
const mostQuestions = 300;

/** What a server answers while it starts: 503 with a page, nothing, or part of an answer. @see docs/facts.md, ci */
const starting = ["SP3009", "SP3101", "SP3102", "SP3103", "SP3104"] as const;

/**
 * Tells a server to restart, and returns when it has. A lost answer proves nothing, since the server may have gone down
 * before it was sent: the wait decides.
 *
 * Throws `ProblemError`: what the call throws except SP3105, and SP3105 for whatever ends the wait.
 */
export const restartAndAwait: AwaitedCall = async (send, { wire, operation, args }, clock, signal) => {
  const asked = wire === "documented" ? withoutVersions(send) : send;
  const before = ServerVersion.parse(await asked("getVersion", {}));
  try {
    await send(operation, args);
  } catch (error) {
    if (!hasOnly(error, "SP3105")) throw error;
  }
  try {
    return await awaitRestart(asked, before, clock, signal);
  } catch (error) {
    throw error instanceof ProblemError ? new ProblemError(...error.problems.map(lost)) : error;
  }
};

/** The problem that ended the wait says nothing about the requested restart: it may have happened, or may still happen. */
function lost(problem: Problem): Problem {
  if (problem.code === "SP3105") return problem;
  return {
    ...problem,
    code: "SP3105",
    message: `The server was told to restart, but it is not known whether it did. ${problem.message}`,
  };
}

/** No documented operation reports the version: an answer to one of them must suffice. */
function withoutVersions(send: Send): Send {
  return async () => {
    await send("listPlugins", { depth: 1 });
    return { version: "unknown" };
  };
}

/**
 * Waits until a server that was told to restart has done so, and returns its version. `before` is what it reported before
 * it was told. A server that identifies its runs is back when it reports a new run; any other, when it answers again
 * after it did not.
 *
 * Throws `ProblemError`: SP3101 if it is not back after 10 minutes; SP3105 after an interrupt, since the restart may have
 * happened; whatever else `getVersion` throws, such as SP3003.
 */
export async function awaitRestart(
  send: Send,
  before: ServerVersion,
  clock: Clock,
  signal?: AbortSignal,
): Promise<ServerVersion> {
  let down = false;
  for (let asked = 0; asked < mostQuestions; asked++) {
    const now = await versionIfUp(send);
    if (now === undefined) down = true;
    else if (now !== "busy" && (before.run === undefined ? down : now.run !== before.run)) return now;
    await clock.wait(pause, signal).catch(() => {
      throw new ProblemError({
        code: "SP3105",
        message: "The server was told to restart, but the run was interrupted before it was back.",
        hint: "Make a new plan once the server is back: it shows what is left to do.",
      });
    });
  }
  throw new ProblemError({
    code: "SP3101",
    message: "The server did not restart within 10 minutes.",
    hint: "A safe restart waits for running builds: check the server's page, or stop them.",
  });
}

/** `busy`: asked too often, which says nothing about the restart. */
async function versionIfUp(send: Send): Promise<ServerVersion | "busy" | undefined> {
  try {
    return ServerVersion.parse(await send("getVersion", {}));
  } catch (error) {
    if (hasOnly(error, "SP3008")) return "busy";
    if (hasOnly(error, ...starting)) return undefined;
    throw error;
  }
}

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
  return {
    [crumbRequestField.toLowerCase()]: crumb,
    ...(isSessionBound(header(answer, "x-jenkins")) ? session : {}),
  };
}

/** Crumbs are bound to a session from this version on. */
const firstBound = "2.176.2";

/** A server that reports no version is treated as a newer one: an unneeded session does no harm. */
function isSessionBound(version = ""): boolean {
  return !isVersion(version) || compareVersions(version, firstBound) >= 0;
}

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
