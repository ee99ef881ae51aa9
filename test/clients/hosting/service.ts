import { hosting } from "../../support/worlds/hosting.ts";
import type { ServiceExample } from "../example.ts";
import { tokenCredentials } from "../fixtures.ts";

const json = "application/json";

/** What the tests of all clients need to know about this one. */
export const hostingExample: ServiceExample = {
  exchange: {
    credentials: tokenCredentials,
    read: ["getActionsPermissions", { org: "o", repo: "r" }],
    method: "GET",
    path: "/repos/o/r/actions/permissions",
    error: (_status, message) => ({ body: JSON.stringify({ message, documentation_url: "https://x" }), type: json }),
    success: { body: '{"enabled":true}', type: "application/vnd.github+json; charset=utf-8" },
  },
  typed: {
    write: "setActionsPermissions",
    args: '{ org: "o", repo: "r", enabled: true }',
    less: '{ org: "o", repo: "r" }',
  },
  calls: {
    getUser: "",
    getMeta: "",
    listUserRepositories: "--type private",
    listOrganizationRepositories: "--org meridian-kites",
    getRepository: "--owner meridian-kites --repo website",
    listContributors: "--owner meridian-kites --repo website --anon",
    setActionsPermissions: "--org meridian-kites --repo website --enabled false",
    getActionsPermissions: "--org meridian-kites --repo website",
    getPullRequest: "--owner meridian-kites --repo website --pull-number 8",
    listIssueComments: "--owner meridian-kites --repo website --issue-number 8",
    createIssueComment: "--owner meridian-kites --repo website --issue-number 8 --arg-body Seen.",
    updateIssueComment: "--owner meridian-kites --repo website --comment-id 501 --arg-body Seen.",
    listBranches: "--owner meridian-kites --repo website",
    getBranch: "--owner meridian-kites --repo website --branch feature/prices",
    listCommits: "--owner meridian-kites --repo website",
    getCommit: "--owner meridian-kites --repo website --sha main",
    listCommitStatuses: "--owner meridian-kites --repo website --ref main",
    getBranchRef: "--owner meridian-kites --repo website --branch main",
    createStatus: "--owner meridian-kites --repo website --sha {tip} --state success --context setpoint",
    listWorkflowRuns: "--owner meridian-kites --repo website --status completed",
    downloadWorkflowRunLogs: "--owner meridian-kites --repo website --run-id 9001 --to {folder}/logs.zip",
    dispatchWorkflow: "--owner meridian-kites --repo website --workflow-id publish.yml --ref main",
    getLatestRelease: "--owner meridian-kites --repo website",
    listEmojis: "",
    getZen: "",
    getMascot: "--s Up!",
    getRateLimit: "",
  },
  parts: [hosting],
};
