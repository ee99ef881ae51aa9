import { ProblemError } from "../core/problem.ts";
import { isObject } from "../core/text/json.ts";
import { withoutEnd } from "../core/text/words.ts";

/** What a run is about, and where its log is. */
export interface RunFacts {
  /** The repository on the code hosting service, as `owner/name`. */
  readonly repository?: string | undefined;
  /** The full SHA of the commit that the run is about. */
  readonly commit?: string | undefined;
  readonly pullRequest?: number | undefined;
  /** The change on the code review service. */
  readonly change?: number | undefined;
  /** The patch set of the change, as a number or a commit. */
  readonly revision?: string | undefined;
  /** A URL with more details, such as the log. */
  readonly link?: string | undefined;
  /** The login under which comments appear, if the token may not ask for it. */
  readonly author?: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The facts from the command line, completed by the variables of the CI server and `event`, the content of the file that
 * GITHUB_EVENT_PATH names. Facts about a commit or change on the command line are not mixed with the variables' facts about another.
 */
export function runFacts(given: RunFacts, env: Environment, event: unknown): RunFacts {
  const head = eventHead(event);
  const repository = given.repository ?? set(env.GITHUB_REPOSITORY);
  // Other servers' variables do not name the repository, so they are about the one that is given.
  const isOwn = repository === (set(env.GITHUB_REPOSITORY) ?? repository);
  const pullRequest = given.pullRequest ?? (isOwn ? (head.pullRequest ?? pullRequestIn(env)) : undefined);
  const isOther = given.pullRequest !== undefined && given.pullRequest !== head.pullRequest;
  const checkedOut = set(env.GITHUB_SHA) ?? set(env.GIT_COMMIT) ?? set(env.CI_COMMIT_SHA);
  // A pull request's checkout can be a merge commit that nobody pushed, where nobody would see a status: its head is asked for.
  const built = pullRequestIn(env) === undefined ? checkedOut : undefined;
  const ofRun = head.commit ?? built ?? set(env.GERRIT_PATCHSET_REVISION);
  const change = given.change ?? wholeNumber(env.GERRIT_CHANGE_NUMBER);
  const isSameChange = given.change === undefined || given.change === wholeNumber(env.GERRIT_CHANGE_NUMBER);
  return {
    repository,
    pullRequest,
    // The head of another pull request is asked for.
    commit: given.commit ?? (isOther || !isOwn ? undefined : ofRun),
    change,
    revision: given.revision ?? (isSameChange ? set(env.GERRIT_PATCHSET_REVISION) : undefined),
    link: given.link ?? linkOf(env),
    author: given.author,
  };
}

function eventHead(event: unknown): { readonly commit?: string; readonly pullRequest?: number } {
  const pull = isObject(event) && isObject(event.pull_request) ? event.pull_request : {};
  const head = isObject(pull.head) ? pull.head : {};
  return {
    ...(typeof head.sha === "string" ? { commit: head.sha } : {}),
    ...(typeof pull.number === "number" ? { pullRequest: pull.number } : {}),
  };
}

/** The pull request's number, from its ref or from the variable of a multibranch job. */
function pullRequestIn({ GITHUB_REF = "", CHANGE_ID }: Environment): number | undefined {
  return wholeNumber(/^refs\/pull\/(\d+)\//.exec(GITHUB_REF)?.[1] ?? CHANGE_ID);
}

function linkOf(env: Environment): string | undefined {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = env;
  if (server && repository && run) return `${withoutEnd(server, "/")}/${repository}/actions/runs/${run}`;
  return set(env.BUILD_URL) ?? set(env.CI_JOB_URL);
}

function wholeNumber(text = ""): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** The variable's value; undefined if it is empty. */
function set(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}

/** Splits the repository of a run into arguments. Throws `ProblemError` SP5001. */
export function repositoryOf({ repository = "" }: RunFacts): { readonly owner: string; readonly repo: string } {
  const [owner = "", repo = "", ...more] = repository.split("/");
  if (owner !== "" && repo !== "" && more.length === 0) return { owner, repo };
  throw missing("which repository", "Pass --about repository=owner/name; GITHUB_REPOSITORY has it in a workflow.");
}

/** The problem of a run that lacks a fact that publishing needs. */
export function missing(what: string, hint: string): ProblemError {
  return new ProblemError({ code: "SP5001", message: `Nothing says ${what} to publish to.`, hint });
}
