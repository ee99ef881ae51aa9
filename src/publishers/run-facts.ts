import { isObject } from "../core/json.ts";
import { type Problem, ProblemError } from "../core/problem.ts";
import { withoutEnd } from "../core/words.ts";

/** Where a run takes place: what it looked at, and where its log is. */
export interface RunFacts {
  /** The repository on the code hosting service, as `owner/name`. */
  readonly repository?: string | undefined;
  /** The whole SHA of the commit that the run is about. */
  readonly commit?: string | undefined;
  readonly pullRequest?: number | undefined;
  /** The change on the code review service. */
  readonly change?: number | undefined;
  /** Its patch set, as number or commit. */
  readonly revision?: string | undefined;
  /** Where to read more. */
  readonly link?: string | undefined;
  /** The login under which comments appear, if the token may not ask for it. */
  readonly author?: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * What the command line says of a run, completed by the variables of the CI server and `event`, the content of the file that
 * GITHUB_EVENT_PATH names. What the command line says of a commit or change is not mixed with what the variables say of another.
 */
export function runFacts(given: RunFacts, env: Environment, event: unknown): RunFacts {
  const head = eventHead(event);
  const repository = given.repository ?? set(env.GITHUB_REPOSITORY);
  const isOwn = given.repository === undefined || given.repository === env.GITHUB_REPOSITORY;
  const pullRequest = given.pullRequest ?? (isOwn ? (head.pullRequest ?? pullRequestIn(env)) : undefined);
  const isOther = given.pullRequest !== undefined && given.pullRequest !== head.pullRequest;
  const checkedOut = set(env.GITHUB_SHA) ?? set(env.GIT_COMMIT) ?? set(env.CI_COMMIT_SHA);
  // That of a pull request may be a merge that nobody pushed, and on which nobody sees a status: its head is asked for.
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

/** Of a pull request's ref, or as a CI server's multibranch job has it. */
function pullRequestIn({ GITHUB_REF = "", CHANGE_ID }: Environment): number | undefined {
  return wholeNumber(/^refs\/pull\/(\d+)\//.exec(GITHUB_REF)?.[1] ?? CHANGE_ID);
}

function linkOf(env: Environment): string | undefined {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = env;
  if (set(server) && set(repository) && set(run))
    return `${withoutEnd(server ?? "", "/")}/${repository}/actions/runs/${run}`;
  return set(env.BUILD_URL) ?? set(env.CI_JOB_URL);
}

function wholeNumber(text = ""): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** A variable that is set to nothing says nothing. */
function set(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}

/** The repository of a run as arguments. Throws `ProblemError` SP5001. */
export function repositoryOf({ repository = "" }: RunFacts): { readonly owner: string; readonly repo: string } {
  const [owner = "", repo = "", ...more] = repository.split("/");
  if (owner !== "" && repo !== "" && more.length === 0) return { owner, repo };
  throw missing("the repository", "Pass --about repository=owner/name; GITHUB_REPOSITORY has it in a workflow.");
}

/** The problem of a run that does not know what it is about. */
export function missing(what: string, hint: string): ProblemError {
  const problem: Problem = { code: "SP5001", message: `Nothing says ${what} to publish to.`, hint };
  return new ProblemError(problem);
}
