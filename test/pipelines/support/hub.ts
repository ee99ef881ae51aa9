import { appendFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ProblemError } from "../../../src/core/problem.ts";
import { startSandbox } from "../../../src/sandbox/sandbox.ts";
import { environmentFor } from "../../../src/sandbox/server/environment.ts";
import { openWorkspace } from "../../../src/setpoint.ts";
import { temporaryFolder, workspaceText } from "../../support/commands.ts";
import { addOrigin, commitAll, gitIn } from "../../support/git.ts";
import type { Kept } from "./kept.ts";
import { gh } from "./programs/gh.ts";
import { jq } from "./programs/jq.ts";
import { servePrograms } from "./programs/serve.ts";
import { machine } from "./steps.ts";
import { copyInto, type Host, type RanWorkflow, runWorkflow } from "./workflow.ts";

const root = join(import.meta.dirname, "../../..");
const shipped = join(root, "examples/pipelines/github");
const repository = "meridian-kites/website";

/** Secrets of the repository and of its environments, by name. */
const secrets: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "": { SETPOINT_REVIEW_READER_PASSWORD: "auditor-secret" },
  production: { SETPOINT_REVIEW_WRITER_PASSWORD: "rkumar-secret" },
  night: { SETPOINT_WIKI_REPORTER_PASSWORD: "jdoe-secret" },
};

/** The values that only their intended steps may see. */
export const secretValues = Object.values(secrets).flatMap((some) => Object.values(some));

/** A pull request: its number, the commit of its branch, and the merge that GitHub makes of it. */
export interface Pull {
  readonly number: number;
  readonly head: string;
  readonly test: string;
  readonly isFork: boolean;
}

/** The event that starts a workflow. */
type Start =
  | { readonly on: "pull_request"; readonly pull: Pull }
  | { readonly on: "push" | "schedule" }
  | { readonly on: "workflow_dispatch"; readonly run: string };

type Files = Readonly<Record<string, string>>;

/**
 * Opens a hosting service with one repository, which has the workflows, `files` on `main` and a sandbox to manage. The service keeps
 * pull requests, runs and artifacts, and runs workflows.
 */
export async function openHub(files: Files) {
  const folder = await temporaryFolder();
  const sandbox = await startSandbox();
  let permissions: Readonly<Record<string, string>> = {};
  const programs = await servePrograms({
    gh: (asked) => gh(asked, kept, permissions),
    jq: ({ args, cwd }) => jq(args, cwd),
  });
  const env = await machine(folder, { npm: ":", ...programs.scripts });
  const origin = join(folder.path, "origin.git");
  const desk = join(folder.path, "desk");
  const scratch = join(folder.path, "jobs");
  mkdirSync(scratch);
  const url = `file://${origin}`;
  const kept: Kept = { repository, pulls: [], runs: [], artifacts: [] };

  const write = (some: Files) => {
    for (const [path, content] of Object.entries(some)) {
      mkdirSync(join(desk, path, ".."), { recursive: true });
      writeFileSync(join(desk, path), content);
    }
  };
  const commitOf = (ref: string) => gitIn(origin, "rev-parse", ref).trim();

  for (const name of ["plan.yml", "apply.yml", "drift.yml"])
    cpSync(join(shipped, name), join(desk, ".github/workflows", name));
  for (const name of ["action.yml", "reviewed-plan.sh"])
    cpSync(join(shipped, name), join(desk, ".github/setpoint", name));
  write({ ".gitignore": ".setpoint/\n", "setpoint.yaml": workspaceText(sandbox.url), ...files });
  commitAll(desk, "Begin");
  addOrigin(desk, origin, url);
  appendFileSync(join(origin, "config"), "[uploadpack]\n\tallowAnySHA1InWant = true\n");
  // A person makes the first apply.
  const workspace = openWorkspace({ path: desk, env: environmentFor(sandbox.url) });
  const planned = await workspace.plan();
  if (planned.is === "wrong") throw new ProblemError(...planned.problems);
  await workspace.apply(planned);
  gitIn(desk, "push", "--quiet", "origin", "main:refs/setpoint/applied");
  sandbox.clear();

  /** Returns the facts of a run, as GitHub states them. */
  function factsOf(start: Start) {
    const branch = { ref: "refs/heads/main", sha: commitOf("main") };
    if (start.on !== "pull_request") return { ...branch, head: branch.sha, branch: "main", isFork: false, event: {} };
    const { number, head, test, isFork } = start.pull;
    const of = isFork ? "stranger/website" : repository;
    const pull_request = { number, head: { sha: head, repo: { full_name: of } } };
    const ref = `refs/pull/${number}/merge`;
    return { ref, sha: test, head, branch: `change-${number}`, isFork, event: { pull_request } };
  }

  async function run(name: string, start: Start): Promise<RanWorkflow & { readonly id: number }> {
    const id = 1000 + kept.runs.length;
    const facts = factsOf(start);
    const eventFile = join(folder.path, `event-${id}.json`);
    writeFileSync(eventFile, JSON.stringify(facts.event));
    const github = {
      repository,
      ref: facts.ref,
      sha: facts.sha,
      event_name: start.on,
      event: facts.event,
      actor: "jdoe",
    };
    const host: Host = {
      env,
      scratch,
      contexts(job) {
        permissions = job.permissions;
        const own = { ...secrets[""], ...secrets[job.environment ?? ""] };
        return {
          github: { ...github, api_url: `${sandbox.url}/hosting`, token: facts.isFork ? "read-only" : "secret" },
          inputs: start.on === "workflow_dispatch" ? { run: start.run } : {},
          secrets: facts.isFork ? {} : own,
          vars: {
            SETPOINT_REVIEW_URL: `${sandbox.url}/review`,
            SETPOINT_REVIEW_READER: "auditor",
            SETPOINT_REVIEW_WRITER: "rkumar",
            SETPOINT_WIKI_URL: `${sandbox.url}/wiki`,
            SETPOINT_WIKI_REPORTER: "jdoe",
          },
        };
      },
      variables: () => ({
        CI: "true",
        GITHUB_ACTIONS: "true",
        GITHUB_REPOSITORY: repository,
        GITHUB_REF: facts.ref,
        GITHUB_SHA: facts.sha,
        GITHUB_EVENT_NAME: start.on,
        GITHUB_EVENT_PATH: eventFile,
        GITHUB_SERVER_URL: "https://github.com",
        GITHUB_RUN_ID: String(id),
      }),
      checkout: (target, options, { permissions }) => {
        const depth = options["fetch-depth"] ?? "1";
        const remote = facts.ref
          .replace("refs/heads/", "refs/remotes/origin/")
          .replace("refs/pull/", "refs/remotes/pull/");
        gitIn(target, "init", "--quiet");
        // The repository is private, and the job's permissions decide what its token may do.
        const nowhere = join(folder.path, "no-permission");
        const from = options["persist-credentials"] === "false" ? nowhere : url;
        const to = permissions.contents === "write" ? from : nowhere;
        const fetched = "+refs/heads/*:refs/remotes/origin/*";
        const remoteOrigin = `[remote "origin"]\n\turl = ${from}\n\tpushurl = ${to}\n\tfetch = ${fetched}\n`;
        appendFileSync(join(target, ".git/config"), remoteOrigin);
        const all = [fetched, "+refs/tags/*:refs/tags/*"];
        const shallow = depth === "0" ? [] : [`--depth=${depth}`];
        if (depth === "0") gitIn(target, "fetch", "--quiet", "--tags", url, ...all);
        gitIn(target, "fetch", "--quiet", "--no-tags", ...shallow, url, `+${facts.sha}:${remote}`);
        if (start.on === "pull_request") gitIn(target, "checkout", "--quiet", "--force", remote);
        else gitIn(target, "checkout", "--quiet", "--force", "-B", "main", remote);
      },
      upload(artifact, path) {
        const to = join(folder.path, "artifacts", `${id}-${artifact}`);
        copyInto(to, path);
        kept.artifacts.push({ run: id, name: artifact, folder: to });
      },
    };
    const ran = await runWorkflow(join(desk, ".github/workflows", name), host);
    const conclusion = ran.failed ? "failure" : "success";
    const path = `.github/workflows/${name}`;
    kept.runs.push({ id, path, event: start.on, head_branch: facts.branch, head_sha: facts.head, conclusion });
    return { ...ran, id };
  }

  return {
    sandbox,
    run,
    commitOf,
    /** Reads a file of an artifact. */
    artifact: (id: number, name: string, file: string) =>
      readFileSync(join(folder.path, "artifacts", `${id}-${name}`, file), "utf8"),
    /** Runs git in a person's clone. */
    git: (...args: readonly string[]) => gitIn(desk, ...args),
    /** Opens a pull request, whose branch starts at the current main. */
    open(number: number, changed: Files, isFork = false): Pull {
      gitIn(desk, "checkout", "--quiet", "-B", `change-${number}`, "main");
      write(changed);
      gitIn(desk, "add", "--all", ".");
      gitIn(desk, "commit", "--quiet", "--message", `Change ${number}`);
      const head = gitIn(desk, "rev-parse", "HEAD").trim();
      gitIn(desk, "checkout", "--quiet", "--detach", "main");
      gitIn(desk, "merge", "--quiet", "--no-ff", "--message", `Merge ${head} into main`, head);
      const test = gitIn(desk, "rev-parse", "HEAD").trim();
      const branch = isFork ? [] : [`${head}:refs/heads/change-${number}`];
      gitIn(desk, "push", "--quiet", "origin", ...branch, `${test}:refs/pull/${number}/merge`);
      gitIn(desk, "checkout", "--quiet", "main");
      sandbox.change(({ hosting }) => {
        const [website] = hosting.repositories;
        const [commit] = website?.commits ?? [];
        const pull = website?.pulls.find((one) => one.number === 8);
        if (website === undefined || commit === undefined || pull === undefined) throw new Error("No website.");
        website.commits.push({ ...commit, sha: head });
        website.pulls = [
          ...website.pulls.filter((one) => one.number !== number),
          { ...pull, number, head: { ref: `change-${number}`, sha: head }, comments: [] },
        ];
      });
      return { number, head, test, isFork };
    },
    /** Merges a pull request as its button does: with a new commit on main. The merge that GitHub had made to test it is gone. */
    merge({ number, head }: Pull, how: "--no-ff" | "--squash" = "--no-ff"): string {
      gitIn(
        desk,
        "merge",
        "--quiet",
        how,
        ...(how === "--squash" ? [] : ["--message", `Merge pull request #${number}`]),
        head,
      );
      if (how === "--squash") gitIn(desk, "commit", "--quiet", "--message", `Change ${number} (#${number})`);
      gitIn(desk, "push", "--quiet", "origin", "main", `:refs/pull/${number}/merge`);
      const sha = commitOf("main");
      kept.pulls.push({ merge_commit_sha: sha, head: { sha: head } });
      sandbox.change(({ hosting }) => {
        const [website] = hosting.repositories;
        const [commit] = website?.commits ?? [];
        if (website !== undefined && commit !== undefined) website.commits.push({ ...commit, sha });
      });
      return sha;
    },
    async [Symbol.asyncDispose]() {
      await sandbox.close();
      await programs[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
