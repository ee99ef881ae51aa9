import { createHmac } from "node:crypto";
import { strToU8, zipSync } from "fflate";
import { z } from "zod";
import { get, read } from "../../clients/table.ts";
import type { Answers, ServiceRequest } from "../exchange.ts";
import { nextId } from "../lists.ts";
import { foundIn, Refusal } from "../refusal.ts";
import { readInput, requireAccount, requireRepository, requireRight, timeText, withRepository } from "./access.ts";
import { findCommit, shortCommitView } from "./commit-view.ts";
import { pageOf } from "./pages.ts";
import { repositoryView } from "./repository-view.ts";
import type { HostingState, Workflow, WorkflowRun } from "./state.ts";
import { nodeId, userView, type ViewedRepository } from "./views.ts";

const DispatchInput = z.strictObject({
  ref: z.string(),
  inputs: z
    .record(z.string(), z.json())
    .refine((inputs) => Object.keys(inputs).length <= 25, "has more than 25 properties")
    .default({}),
  return_run_details: z.boolean().default(false),
});

/** The row for the logs of a run, which have a URL of their own, to which the operation redirects. */
export const logArchive = {
  readLogArchive: read(get("/_logs/{run_id}?signature"), {
    summary: "The logs of a run, for anybody who has the signed address.",
    args: z.object({ runId: z.int(), signature: z.string() }),
    result: z.unknown(),
  }),
};

/** Workflows, their runs, and the logs of the runs. */
export const runAnswers = {
  listWorkflowRuns(asked) {
    const here = requireRepository(asked);
    const runs = here.repository.runs.toSorted((a, b) => b.id - a.id).filter(isWanted(asked.query));
    const { page, headers } = pageOf(asked, runs);
    return { headers, body: { total_count: runs.length, workflow_runs: page.map((run) => runView(here, run)) } };
  },

  downloadWorkflowRunLogs(asked) {
    const { repository } = requireRepository(asked);
    requireAccount(asked);
    const run = repository.runs.find(({ id }) => String(id) === asked.params.runId);
    if (run?.logs === undefined) throw new Refusal(404);
    const location = `${asked.base}/_logs/${run.id}?signature=${signatureOf(asked, run)}`;
    return { status: 302, headers: { location } };
  },

  readLogArchive(asked) {
    const { params, query, state } = asked;
    const run = state.repositories.flatMap(({ runs }) => runs).find(({ id }) => String(id) === params.runId);
    if (run?.logs === undefined || query.get("signature") !== signatureOf(asked, run)) throw new Refusal(404);
    return { headers: { "content-type": "application/zip" }, body: zipped(run.logs) };
  },

  dispatchWorkflow(asked) {
    const here = requireRight(asked, ["admin"]);
    const { repository, account } = here;
    const { workflowId } = asked.params;
    const isIt = ({ id, path }: Workflow) => String(id) === workflowId || path.endsWith(`/${workflowId}`);
    const workflow = foundIn(repository.workflows, isIt);
    const { ref, inputs, return_run_details } = readInput(DispatchInput, asked);
    const branch = ref.replace(/^refs\/heads\//, "");
    const commit = Object.hasOwn(repository.branches, branch) ? findCommit(repository, branch) : undefined;
    if (commit === undefined) throw new Refusal(422, `No ref found for: ${ref}`);
    if (!repository.actions.enabled) throw new Refusal(422, "Actions has been disabled for this repository.");
    if (workflow.inputs === undefined) throw new Refusal(422, "Workflow does not have 'workflow_dispatch' trigger");
    const unknown = Object.keys(inputs).filter((name) => !workflow.inputs?.includes(name));
    if (unknown.length > 0) throw new Refusal(422, `Unexpected inputs provided: ${JSON.stringify(unknown)}`);
    const at = timeText(asked.now);
    const earlier = repository.runs.filter((one) => one.workflow === workflow.id);
    const run: WorkflowRun = {
      id: nextId(asked.state.repositories.flatMap(({ runs }) => runs)),
      number: nextId(earlier.map(({ number: id }) => ({ id }))),
      workflow: workflow.id,
      event: "workflow_dispatch",
      branch,
      sha: commit.sha,
      status: "queued",
      conclusion: null,
      actor: account.username,
      created_at: at,
      updated_at: at,
    };
    return {
      ...(return_run_details ? { body: dispatched(here, run) } : { status: 204 }),
      changes: withRepository(here, { runs: [...repository.runs, run] }),
    };
  },
} satisfies Answers<HostingState>;

/** Returns a test of whether a run matches the query of a list; `status` is a status or a conclusion. */
function isWanted(query: URLSearchParams): (run: WorkflowRun) => boolean {
  return ({ actor, branch, event, status, conclusion, sha }) => {
    const facts: Readonly<Record<string, readonly (string | null)[]>> = {
      actor: [actor],
      branch: [branch],
      event: [event],
      status: [status, conclusion],
      head_sha: [sha],
    };
    return Object.entries(facts).every(([name, values]) => !query.has(name) || values.includes(query.get(name)));
  };
}

/** Returns the signature of a log archive's URL: anyone who knows the URL may read it, but no one can guess it. */
function signatureOf({ accounts }: ServiceRequest, { id }: WorkflowRun): string {
  return createHmac("sha256", accounts[0]?.secret ?? "")
    .update(String(id))
    .digest("hex");
}

/** Returns a zip of text files by name, always the same for the same files. */
function zipped(files: Readonly<Record<string, string>>): Uint8Array {
  const contents = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)]));
  return zipSync(contents, { mtime: "1980-01-01T00:00:00" });
}

function dispatched({ url, page }: ViewedRepository, { id }: WorkflowRun) {
  return { workflow_run_id: id, run_url: `${url}/actions/runs/${id}`, html_url: `${page}/actions/runs/${id}` };
}

function runView(here: ViewedRepository, run: WorkflowRun) {
  const { repository } = here;
  const { id, event, status, conclusion, created_at, updated_at } = run;
  const workflow = repository.workflows.find((one) => one.id === run.workflow);
  const commit = repository.commits.find(({ sha }) => sha === run.sha);
  const url = `${here.url}/actions/runs/${id}`;
  const view = repositoryView(here);
  const actor = userView(here, run.actor);
  return {
    id,
    name: workflow?.name ?? null,
    node_id: nodeId("WorkflowRun", id),
    head_branch: run.branch,
    head_sha: run.sha,
    path: workflow?.path ?? "",
    display_title: commit?.message.split("\n", 1)[0] ?? "",
    run_number: run.number,
    run_attempt: 1,
    event,
    status,
    conclusion,
    workflow_id: run.workflow,
    url,
    html_url: `${here.page}/actions/runs/${id}`,
    pull_requests: [],
    created_at,
    updated_at,
    run_started_at: created_at,
    actor,
    triggering_actor: actor,
    ...Object.fromEntries(
      ["jobs", "logs", "artifacts", "cancel", "rerun"].map((end) => [`${end}_url`, `${url}/${end}`]),
    ),
    check_suite_url: `${here.url}/check-suites/${id}`,
    previous_attempt_url: null,
    workflow_url: `${here.url}/actions/workflows/${run.workflow}`,
    head_commit: commit === undefined ? null : shortCommitView(commit),
    repository: view,
    head_repository: view,
  };
}
