import { shortCommitView } from "./commit-view.ts";
import { pageUrl, repositoryUrl, repositoryView } from "./repository-view.ts";
import type { HostedRepository, WorkflowRun } from "./state.ts";
import { nodeId, userView, type Viewing } from "./views.ts";

/** Returns a run of a workflow as the caller sees it. */
export function runView(viewing: Viewing, repository: HostedRepository, run: WorkflowRun) {
  const { base } = viewing;
  const { id, event, status, conclusion, created_at, updated_at } = run;
  const workflow = repository.workflows.find((one) => one.id === run.workflow);
  const commit = repository.commits.find(({ sha }) => sha === run.sha);
  const repositoryRoot = repositoryUrl(base, repository);
  const url = `${repositoryRoot}/actions/runs/${id}`;
  const view = repositoryView(viewing, repository);
  const actor = userView(viewing, run.actor);
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
    html_url: `${pageUrl(base, repository)}/actions/runs/${id}`,
    pull_requests: [],
    created_at,
    updated_at,
    run_started_at: created_at,
    actor,
    triggering_actor: actor,
    ...Object.fromEntries(
      ["jobs", "logs", "artifacts", "cancel", "rerun"].map((end) => [`${end}_url`, `${url}/${end}`]),
    ),
    check_suite_url: `${repositoryRoot}/check-suites/${id}`,
    previous_attempt_url: null,
    workflow_url: `${repositoryRoot}/actions/workflows/${run.workflow}`,
    head_commit: commit === undefined ? null : shortCommitView(commit),
    repository: view,
    head_repository: view,
  };
}
