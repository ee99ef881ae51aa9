import DataLoader from "dataloader";
import { hasOnly, type Problem } from "../../core/problem.ts";
import { isObject, type JsonObject, own } from "../../core/text/json.ts";
import { counted } from "../../core/text/words.ts";
import { type Supported, signedInAs, versionFound } from "../check.ts";
import { type Answer, expectedText, header, isHtml, parseJson, unexpected } from "../http/answer.ts";
import type { Failure } from "../http/outcome.ts";
import { authorization } from "../http/protocol.ts";
import { describeService, type SendCall } from "../service.ts";
import { reviewOperations } from "./operations.ts";

/** Precedes the JSON of every answer. @see docs/facts.md, across services */
const guardLine = ")]}'";
const expected = `JSON after the line ${guardLine}`;

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

/** The most projects, and characters of their names, in one request: its line stays below the 8 KiB that servers commonly allow. */
const largestBatch = 25;
const longestNames = 6000;

/** The problems of a server without the bulk read, or of one that fails on one of the projects. */
const noBulk = ["SP3004", "SP3005", "SP3007", "SP3009", "SP3103"] as const;

/** Whether the service itself is down, so that single reads would fail too. A project that it cannot read is a 500. */
const isOutage = ({ code, message }: Problem) => code === "SP3009" && !message.startsWith("The service answered 500");

/** Joins the reads of several projects' access that are requested in one tick. @see docs/facts.md, review */
function joinedAccess(call: SendCall<"getProjectAccess" | "listAccess">) {
  const single = (projectName: string) => call("getProjectAccess", { projectName }).catch((error: Error) => error);
  const each = (names: readonly string[]) => Promise.all(names.map(single));

  async function load(names: readonly string[]): Promise<readonly unknown[]> {
    if (names.length === 1) return each(names);
    // Encoded here and once more in the query: the server decodes the value as a query, and then as an id.
    const project = names.map(encodeURIComponent);
    if (project.map(encodeURIComponent).join().length > longestNames) {
      const half = names.length / 2;
      return (await Promise.all([load(names.slice(0, half)), load(names.slice(half))])).flat();
    }
    try {
      const answer = reviewOperations.listAccess.result.parse(await call("listAccess", { project }));
      // Servers use different keys: the plain name, or the name as it was in the query, encoded once.
      const accessOf = (name: string) => own(answer, encodeURIComponent(name)) ?? own(answer, name);
      return Promise.all(names.map((name) => accessOf(name) ?? single(name)));
    } catch (error) {
      if (!hasOnly(error, ...noBulk) || error.problems.some(isOutage)) throw error;
      // The refusal names the project that does not exist. It is read alone, and the others without it.
      const named = names.find((name) => error.problems.every(({ message }) => message.includes(`: ${name}.`)));
      if (named === undefined) return each(names);
      const others = names.filter((name) => name !== named);
      const [[alone], rest] = await Promise.all([each([named]), load(others)]);
      const found = new Map(rest.map((access, index) => [others[index], access]));
      return names.map((name) => (name === named ? alone : found.get(name)));
    }
  }

  const loader = new DataLoader<string, unknown>(load, { maxBatchSize: largestBatch });
  return { getProjectAccess: (args: JsonObject) => loader.load(String(args.projectName)) };
}

/** Kinds that are written as access rules of a project. */
const accessKinds: readonly string[] = ["AccessRule", "BranchLock"];

/** @see docs/decisions/versions.md: review */
export const reviewVersions: Supported = {
  since: "2.14",
  why: "the REST API can write access rules, signed in with a password",
  tried: "3.13",
};

/** The code review service (Gerrit). @see docs/api/review.md, requests */
export const reviewService = describeService({
  role: "review",
  types: ["gerrit"],
  credentials: {
    accepted: [["USERNAME", "PASSWORD"]],
    source: "Settings > HTTP Credentials > Generate New Password",
  },
  protocol: {
    headers: (_service, credentials) => ({ accept: "application/json", ...authorization(credentials) }),
    failure: reviewFailure,
    decode: decodeReview,
  },
  get operations() {
    return reviewOperations;
  },
  liveLists: [{ operation: "listProjects", row: "listProjects", args: {}, naturalName: "name" }],
  checks: {
    async account(read, { username }) {
      // Only an account has changes of its own, so a request that is not signed in is refused.
      await read.queryChanges({ q: "is:open owner:self" });
      return signedInAs(username);
    },
    optional: { version: async (read) => versionFound(reviewVersions, await read.getServerVersion({})) },
    required: {
      async ownership(read, { declared }) {
        const projects = new Set(
          declared
            .filter(({ kind }) => accessKinds.includes(kind))
            .flatMap(({ spec }) => (isObject(spec) && typeof spec.project === "string" ? [spec.project] : [])),
        );
        if (projects.size === 0) return undefined;
        // Access is read by a query and written by a path, whose slash not every proxy lets through.
        const slashed = [...projects].find((project) => project.includes("/"));
        if (slashed !== undefined) await read.getProjectConfig({ projectName: slashed });
        const access = await Promise.all(
          [...projects].map(async (project) => ({
            project,
            ...(await read.getProjectAccess({ projectName: project })),
          })),
        );
        const others = access.filter(({ is_owner }) => !is_owner).map(({ project }) => project);
        if (others.length === 0) return { says: `owner of ${counted(projects.size, "declared project")}` };
        const hint = "Make one of the account's groups an owner of the project, or run only plan and drift there.";
        return { says: `not an owner of ${others.join(", ")}: cannot write access rules`, wrong: { hint } };
      },
    },
  },
  proof: { product: "getServerVersion", documented: "listProjects" },
  versions: reviewVersions,
  joinReads: joinedAccess,
});
