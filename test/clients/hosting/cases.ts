import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { hostingOperations } from "../../../src/clients/hosting/operations.ts";
import type { JsonObject } from "../../../src/core/text/json.ts";
import { unpack } from "../../../src/sandbox/artifacts/archive.ts";
import { defaultWorld } from "../../../src/sandbox/default-world.ts";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";

export const website = { owner: "meridian-kites", repo: "website" };
const [site] = defaultWorld().hosting.repositories;
export const tip = site?.branches.main?.sha ?? "";
const names = (sandbox: Sandbox) => sandbox.requests().map(({ path }) => path);

/** A call to the sandbox of the invented company, and its expected result. `folder` is for files. */
export interface Case {
  readonly args?: JsonObject | ((folder: string) => JsonObject);
  readonly result: unknown;
  readonly after?: (sandbox: Sandbox, folder: string) => void;
}

/** A successful call of every operation. */
export const cases: Readonly<Record<keyof typeof hostingOperations, Case>> = {
  getUser: { result: expect.objectContaining({ login: "admin", name: "Ada Brandt", type: "User" }) },
  getMeta: { result: expect.objectContaining({ ssh_keys: [expect.stringMatching(/^ssh-ed25519 /)] }) },
  listUserRepositories: {
    args: { type: "private", per_page: 1 },
    result: [
      expect.objectContaining({ full_name: "meridian-kites/firmware-mirror", private: true }),
      expect.objectContaining({
        full_name: "meridian-kites/handbook",
        permissions: { admin: true, maintain: true, push: true, triage: true, pull: true },
      }),
    ],
    after: (sandbox) =>
      expect(names(sandbox)).toEqual([
        "/user/repos?per_page=1&type=private",
        "/user/repos?per_page=1&type=private&page=2",
        // A full page can have lost its link.
        "/user/repos?per_page=1&type=private&page=3",
      ]),
  },
  listOrganizationRepositories: {
    args: { org: "Meridian-Kites", type: "public" },
    result: [
      expect.objectContaining({ id: 102, name: "telemetry" }),
      expect.objectContaining({ id: 101, name: "website", description: "What customers see." }),
    ],
  },
  getRepository: {
    args: website,
    result: expect.objectContaining({ id: 101, full_name: "meridian-kites/website", default_branch: "main" }),
  },
  listContributors: {
    args: { ...website, anon: true, per_page: 2 },
    result: [
      expect.objectContaining({ login: "admin", contributions: 2 }),
      { type: "Anonymous", name: "Lin Tao", email: "lin@example.org", contributions: 1 },
      expect.objectContaining({ login: "jdoe", contributions: 1 }),
    ],
  },
  getActionsPermissions: {
    args: { org: "meridian-kites", repo: "telemetry" },
    result: { enabled: true, allowed_actions: "local_only", sha_pinning_required: false },
  },
  setActionsPermissions: {
    args: { org: "meridian-kites", repo: "website", enabled: false },
    result: undefined,
    after: ({ state }) => expect(state().hosting.repositories[0]?.actions.enabled).toBe(false),
  },
  getPullRequest: {
    args: { ...website, pullNumber: 8 },
    result: expect.objectContaining({
      number: 8,
      state: "open",
      merged: false,
      mergeable: true,
      head: expect.objectContaining({ ref: "feature/prices" }),
      commits: 1,
      additions: 31,
      comments: 2,
    }),
  },
  listIssueComments: {
    args: { ...website, issueNumber: 8, per_page: 1 },
    result: [
      expect.objectContaining({ id: 501, body: "With tax, please." }),
      expect.objectContaining({ id: 502, updated_at: "2026-02-11T08:25:00Z" }),
    ],
  },
  createIssueComment: {
    args: { ...website, issueNumber: 8, body: "Seen." },
    result: expect.objectContaining({ id: 503, body: "Seen.", user: expect.objectContaining({ login: "admin" }) }),
    after: ({ state }) =>
      expect(state().hosting.repositories[0]?.pulls[1]?.comments[2]).toMatchObject({ user: "admin", body: "Seen." }),
  },
  updateIssueComment: {
    args: { ...website, commentId: 498, body: "Seen." },
    result: expect.objectContaining({ id: 498, body: "Seen." }),
    after: ({ state }) =>
      expect(state().hosting.repositories[0]?.issues["6"]).toMatchObject([{ id: 498, user: "rkumar", body: "Seen." }]),
  },
  listBranches: {
    args: { ...website, per_page: 2 },
    result: [
      expect.objectContaining({ name: "feature/prices", protected: false }),
      expect.objectContaining({ name: "main", protected: true, commit: expect.objectContaining({ sha: tip }) }),
      expect.objectContaining({ name: "release-2.4" }),
    ],
  },
  getBranch: {
    args: { ...website, branch: "feature/prices" },
    result: expect.objectContaining({
      name: "feature/prices",
      commit: expect.objectContaining({ author: expect.objectContaining({ login: "jdoe" }) }),
    }),
  },
  listCommits: {
    args: { ...website, per_page: 1, until: "2026-02-01T00:00:00Z" },
    result: [
      expect.objectContaining({
        commit: expect.objectContaining({ message: "List the kites\n\nThe prices follow." }),
        committer: expect.objectContaining({ login: "admin" }),
      }),
      expect.objectContaining({ commit: expect.objectContaining({ message: "Add a style sheet" }) }),
      expect.objectContaining({ commit: expect.objectContaining({ message: "Start with an empty page" }) }),
    ],
  },
  getCommit: {
    args: { ...website, sha: "main" },
    result: expect.objectContaining({
      sha: tip,
      commit: expect.objectContaining({ message: "Correct a typing error" }),
      author: null,
    }),
  },
  listCommitStatuses: {
    args: { ...website, ref: "main", per_page: 1 },
    result: [
      expect.objectContaining({ state: "success", context: "ci/build" }),
      expect.objectContaining({ state: "pending", description: "Waiting for an agent" }),
    ],
  },
  getBranchRef: {
    args: { ...website, branch: "main" },
    result: expect.objectContaining({ ref: "refs/heads/main", object: expect.objectContaining({ sha: tip }) }),
  },
  createStatus: {
    args: { ...website, sha: tip, state: "failure", context: "setpoint", target_url: "https://x.example/1" },
    result: expect.objectContaining({ id: 3003, state: "failure", context: "setpoint", description: null }),
    after: ({ state }) =>
      expect(state().hosting.repositories[0]?.statuses[2]).toMatchObject({ sha: tip, creator: "admin", id: 3003 }),
  },
  listWorkflowRuns: {
    args: { ...website, per_page: 1, status: "completed" },
    result: {
      total_count: 2,
      workflow_runs: [
        expect.objectContaining({ id: 9002, conclusion: "failure", head_branch: "feature/prices" }),
        expect.objectContaining({ id: 9001, conclusion: "success", name: "Checks" }),
      ],
    },
  },
  downloadWorkflowRunLogs: {
    args: (folder) => ({ ...website, runId: 9001, to: join(folder, "logs.zip") }),
    result: { path: expect.stringMatching(/logs\.zip$/), bytes: expect.any(Number) },
    after: (_sandbox, folder) =>
      expect(
        Object.entries(unpack(readFileSync(join(folder, "logs.zip")))).map(([path, content]) => [
          path,
          Buffer.from(content).toString(),
        ]),
      ).toEqual([
        ["0_checks.txt", "2026-02-03T07:20:41Z Links are whole.\n"],
        ["checks/1_Set up.txt", "Ready.\n"],
      ]),
  },
  dispatchWorkflow: {
    args: { ...website, workflowId: "publish.yml", ref: "main", inputs: { target: "test" }, return_run_details: true },
    result: expect.objectContaining({ workflow_run_id: 9004 }),
    after: ({ state }) =>
      expect(state().hosting.repositories[0]?.runs[3]).toMatchObject({ workflow: 22, number: 4, status: "queued" }),
  },
  getLatestRelease: { args: website, result: expect.objectContaining({ tag_name: "v2.3.0", prerelease: false }) },
  listEmojis: { result: expect.objectContaining({ kite: expect.stringMatching(/\/kite\.png$/) }) },
  getZen: { result: "A long line holds the kite." },
  getMascot: { args: { s: "Up!" }, result: expect.stringContaining("<  Up! |") },
  getRateLimit: {
    result: expect.objectContaining({
      resources: expect.objectContaining({ core: { limit: 5000, remaining: 5000, used: 0, reset: 4_102_444_800 } }),
    }),
  },
};
