import { Octokit } from "octokit";
import { expect, test } from "vitest";
import type { hostingOperations } from "../../../src/clients/hosting/operations.ts";
import { sandboxForTest } from "../../sandbox/asking.ts";
import { tip } from "./cases.ts";

const website = { owner: "meridian-kites", repo: "website" };

/** How the product's own client makes each call, and the expected result. */
const calls: Readonly<
  Record<
    keyof typeof hostingOperations,
    readonly [call: (octokit: Octokit) => Promise<{ data: unknown }>, data: unknown]
  >
> = {
  getUser: [({ rest }) => rest.users.getAuthenticated(), { login: "admin" }],
  getMeta: [({ rest }) => rest.meta.get(), { ssh_keys: [expect.any(String)] }],
  listUserRepositories: [({ rest }) => rest.repos.listForAuthenticatedUser({ type: "private" }), { length: 2 }],
  listOrganizationRepositories: [({ rest }) => rest.repos.listForOrg({ org: "meridian-kites" }), { length: 4 }],
  getRepository: [({ rest }) => rest.repos.get(website), { full_name: "meridian-kites/website" }],
  listContributors: [({ rest }) => rest.repos.listContributors({ ...website, anon: "true" }), { length: 3 }],
  getActionsPermissions: [
    ({ rest }) => rest.actions.getGithubActionsPermissionsRepository(website),
    { enabled: true, allowed_actions: "all" },
  ],
  setActionsPermissions: [
    ({ rest }) => rest.actions.setGithubActionsPermissionsRepository({ ...website, enabled: false }),
    "",
  ],
  getPullRequest: [({ rest }) => rest.pulls.get({ ...website, pull_number: 7 }), { merged: true, state: "closed" }],
  listIssueComments: [
    ({ rest }) => rest.issues.listComments({ ...website, issue_number: 6 }),
    [{ body: "Seen on small screens too." }],
  ],
  createIssueComment: [
    ({ rest }) => rest.issues.createComment({ ...website, issue_number: 8, body: "Seen." }),
    { body: "Seen.", user: { login: "admin" } },
  ],
  updateIssueComment: [
    ({ rest }) => rest.issues.updateComment({ ...website, comment_id: 501, body: "Without tax, please." }),
    { id: 501, body: "Without tax, please." },
  ],
  listBranches: [
    async ({ paginate, rest }) => ({ data: await paginate(rest.repos.listBranches, { ...website, per_page: 1 }) }),
    [{ name: "feature/prices" }, { name: "main" }, { name: "release-2.4" }],
  ],
  getBranch: [({ rest }) => rest.repos.getBranch({ ...website, branch: "feature/prices" }), { name: "feature/prices" }],
  listCommits: [({ rest }) => rest.repos.listCommits({ ...website, author: "jdoe" }), { length: 1 }],
  getCommit: [({ rest }) => rest.repos.getCommit({ ...website, ref: tip }), { sha: tip, stats: { total: 2 } }],
  listCommitStatuses: [({ rest }) => rest.repos.listCommitStatusesForRef({ ...website, ref: tip }), { length: 2 }],
  getBranchRef: [({ rest }) => rest.git.getRef({ ...website, ref: "heads/main" }), { object: { sha: tip } }],
  createStatus: [
    ({ rest }) => rest.repos.createCommitStatus({ ...website, sha: tip, state: "success" }),
    { state: "success", context: "default" },
  ],
  listWorkflowRuns: [
    async ({ paginate, rest }) => ({
      data: await paginate(rest.actions.listWorkflowRunsForRepo, { ...website, per_page: 2 }),
    }),
    [{ id: 9003 }, { id: 9002 }, { id: 9001 }],
  ],
  downloadWorkflowRunLogs: [
    ({ rest }) => rest.actions.downloadWorkflowRunLogs({ ...website, run_id: 9001 }),
    expect.any(ArrayBuffer),
  ],
  dispatchWorkflow: [
    ({ rest }) => rest.actions.createWorkflowDispatch({ ...website, workflow_id: 22, ref: "main" }),
    "",
  ],
  getLatestRelease: [({ rest }) => rest.repos.getLatestRelease(website), { tag_name: "v2.3.0" }],
  listEmojis: [({ rest }) => rest.emojis.get(), { kite: expect.any(String) }],
  getZen: [({ rest }) => rest.meta.getZen(), "A long line holds the kite."],
  getMascot: [({ rest }) => rest.meta.getOctocat({ s: "Up!" }), expect.anything()],
  getRateLimit: [({ rest }) => rest.rateLimit.get(), { resources: { core: { limit: 5000 } } }],
};

test.each(Object.entries(calls))("%s works with the product's own client", async (operation, [call, data]) => {
  const sandbox = await sandboxForTest();
  const octokit = new Octokit({
    baseUrl: sandbox.services.hosting.url,
    auth: "secret",
    retry: { enabled: false },
    throttle: { enabled: false },
  });
  const answer = await call(octokit);
  if (typeof data === "object" && data !== null) expect(answer.data).toMatchObject(data);
  else expect(answer.data).toEqual(data);
  expect(sandbox.requests()[0]?.operation).toBe(operation);
});

test("an error of the sandbox is recognized by the product's own client", async () => {
  const sandbox = await sandboxForTest();
  const octokit = new Octokit({
    baseUrl: sandbox.services.hosting.url,
    retry: { enabled: false },
    throttle: { enabled: false },
  });
  await expect(octokit.rest.users.getAuthenticated()).rejects.toMatchObject({
    status: 401,
    message: expect.stringContaining("Requires authentication"),
  });
});
