import { Octokit } from "octokit";
import { expect, test } from "vitest";
import { sandboxForTest } from "../../sandbox/asking.ts";

const website = { owner: "meridian-kites", repo: "website" };

test("an unmodified octokit works with the sandbox", async () => {
  const sandbox = await sandboxForTest();
  const { paginate, rest } = new Octokit({ baseUrl: sandbox.services.hosting.url, auth: "secret" });
  const { data: me } = await rest.users.getAuthenticated();
  const repositories = await paginate(rest.repos.listForAuthenticatedUser, { per_page: 1 });
  const { data: branch } = await rest.repos.getBranch({ ...website, branch: "feature/prices" });
  const status = { ...website, sha: branch.commit.sha, context: "ci/octokit" };
  await rest.repos.createCommitStatus({ ...status, state: "pending" });
  await rest.repos.createCommitStatus({ ...status, state: "success" });
  const { data: statuses } = await rest.repos.listCommitStatusesForRef({ ...website, ref: branch.commit.sha });
  await rest.actions.setGithubActionsPermissionsRepository({
    ...website,
    enabled: true,
    allowed_actions: "local_only",
  });
  const { data: permissions } = await rest.actions.getGithubActionsPermissionsRepository(website);
  await rest.actions.createWorkflowDispatch({ ...website, workflow_id: 22, ref: "main" });
  const runs = await paginate(rest.actions.listWorkflowRunsForRepo, { ...website, per_page: 2 });
  await expect(rest.repos.get({ ...website, repo: "nope" })).rejects.toMatchObject({ status: 404 });

  expect(me.login).toBe("admin");
  expect(repositories.length).toBeGreaterThan(1);
  expect(statuses[0]).toMatchObject({ context: "ci/octokit", state: "success" });
  expect(permissions).toMatchObject({ enabled: true, allowed_actions: "local_only" });
  expect(runs.length).toBeGreaterThan(3);
  const refused = sandbox.requests().filter((request) => request.status >= 400);
  expect(refused.map(({ status: code, operation }) => `${code} ${operation}`)).toEqual(["404 getRepository"]);
});
