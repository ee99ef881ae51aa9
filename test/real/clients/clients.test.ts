import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sandboxForTest } from "../../sandbox/asking.ts";
import { type FoundClients, findNodeClients, findPythonClients, runScript } from "../support/published-clients.ts";

const python = await findPythonClients();
const node = await findNodeClients();

/**
 * A published client with its script, the number of requests that the sandbox answers, and those that it refuses: for
 * objects that do not exist (404), for paths beyond the documented operations (404, 405), and for what is not modelled (501).
 * Octokit also calls every operation in test/clients/hosting/octokit.test.ts.
 */
interface Client {
  readonly found: FoundClients;
  readonly script: string;
  readonly service: "artifacts" | "ci" | "hosting" | "tracker" | "wiki";
  readonly answered: Readonly<Record<string, number>>;
  readonly refused: readonly string[];
}

const clients: Readonly<Record<string, Client>> = {
  PyGithub: {
    found: python,
    script: "run_pygithub.py",
    service: "hosting",
    answered: {
      getUser: 1,
      listUserRepositories: 1,
      getRateLimit: 1,
      listEmojis: 1,
      getRepository: 1,
      listBranches: 1,
      getBranch: 2,
      getBranchRef: 2,
      getCommit: 2,
      listCommits: 1,
      listContributors: 1,
      getPullRequest: 2,
      listIssueComments: 1,
      listWorkflowRuns: 1,
      getLatestRelease: 1,
      createStatus: 1,
      listCommitStatuses: 1,
    },
    refused: ["404 /repos/meridian-kites/website/actions/workflows/22", "501 listUserRepositories", "401 /user"],
  },
  "pycontribs jira": {
    found: python,
    script: "run_pycontribs_jira.py",
    service: "tracker",
    answered: {
      getServerInfo: 1,
      getMyself: 1,
      getUser: 1,
      listProjects: 1,
      getIssue: 1,
      downloadAttachment: 2,
      listFields: 1,
      searchIssues: 2,
    },
    refused: [
      "501 searchIssues",
      "501 searchIssues",
      "501 searchIssues",
      "404 getIssue",
      "405 /rest/api/2/issue/10000",
    ],
  },
  "atlassian-python-api": {
    found: python,
    script: "run_atlassian_wiki.py",
    service: "wiki",
    answered: { getCurrentUser: 1, getPage: 9, updatePage: 1 },
    refused: ["409 updatePage", "400 updatePage", "404 getPage", "404 /rest/api/content/48213/history"],
  },
  "python-jenkins": {
    found: python,
    script: "run_python_jenkins.py",
    service: "ci",
    answered: {
      getCrumb: 1,
      getMe: 1,
      getDashboard: 1,
      getVersion: 3,
      getJob: 2,
      getBuildParameters: 3,
      buildJobWithParameters: 1,
      buildJob: 1,
      stopBuild: 1,
      getBuildPage: 1,
      getJobConfig: 2,
      updateJobConfig: 1,
      listPlugins: 1,
    },
    refused: ["404 getJob", "501 runScript", "501 getJob", "501 buildJob", "404 /queue/item/10/api/json"],
  },
  "npm jenkins": {
    found: node,
    script: "run_jenkins.cjs",
    service: "ci",
    answered: {
      getVersion: 1,
      getJob: 3,
      getBuildParameters: 2,
      getCrumb: 5,
      buildJobWithParameters: 1,
      buildJob: 1,
      stopBuild: 1,
      getJobConfig: 2,
      updateJobConfig: 1,
      listPlugins: 1,
    },
    refused: ["404 getJob", "501 getJob", "501 buildJob", "404 /queue/item/10/api/json"],
  },
  pyartifactory: {
    found: python,
    script: "run_pyartifactory.py",
    service: "artifacts",
    answered: {
      listRepositories: 1,
      getRepository: 4,
      deployFile: 1,
      getItem: 3,
      listFolder: 1,
      setProperties: 1,
      getProperties: 1,
      deleteItem: 1,
      listBuilds: 1,
      getBuild: 2,
      promoteBuild: 1,
    },
    refused: ["501 deployFile", "501 deployFile", "404 getProperties", "404 getItem", "501 getItem", "501 getBuild"],
  },
  "dohq-artifactory": {
    found: python,
    script: "run_dohq_artifactory.py",
    service: "artifacts",
    answered: {
      getItem: 6,
      getProperties: 1,
      deployFile: 1,
      query: 2,
      deleteItem: 1,
      listBuilds: 2,
      getBuild: 2,
      promoteBuild: 1,
      promoteImage: 1,
    },
    refused: [
      "404 getItem",
      "404 getItem",
      "404 getProperties",
      "404 getItem",
      "501 deployFile",
      "501 deployFile",
      "501 getItem",
      "404 getItem",
      "501 deployArchive",
      "501 query",
      "501 promoteBuild",
      "405 /api/metadata/libs-release-local/com/meridian/telemetry/2.4/telemetry-2.4.jar",
      "405 /api/copy/libs-release-local/com/meridian/telemetry/2.4/telemetry-2.4.jar",
    ],
  },
};

for (const [name, { found, script, service, answered, refused }] of Object.entries(clients)) {
  const title = `${name} does its business with the sandbox, unmodified`;
  // In CI, a client that cannot be installed is a failure.
  const isSkipped = !found.available && process.env.CI === undefined;
  test.skipIf(isSkipped)(found.available ? title : `${title} (skipped: ${found.why})`, async () => {
    if (!found.available) throw new Error(found.why);
    const home = mkdtempSync(join(tmpdir(), "setpoint-client-"));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const sandbox = await sandboxForTest();
    sandbox.change(({ artifacts: { builds } }) => {
      builds.telemetry = structuredClone(builds["telemetry release"] ?? {});
    });
    const { code, stderr } = await runScript(found, script, sandbox.services[service]?.url ?? "", home);
    expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
    const isAnswered = ({ status }: { readonly status: number }) => status < 400;
    const requests = sandbox.requests();
    const byOperation = Map.groupBy(requests.filter(isAnswered), ({ operation, path }) => operation ?? path);
    expect(Object.fromEntries([...byOperation].map(([operation, { length }]) => [operation, length]))).toEqual(
      answered,
    );
    const others = requests.filter((request) => !isAnswered(request));
    expect(others.map(({ status, operation, path }) => `${status} ${operation ?? path}`)).toEqual(refused);
  });
}
