import { describe, expect, onTestFinished, test } from "vitest";
import { ciOperations } from "../../../src/clients/ci/operations.ts";
import { type Connection, openConnection } from "../../../src/clients/connect.ts";
import { Secret } from "../../../src/core/secret.ts";
import type { Service } from "../../../src/core/service.ts";
import type { JsonObject } from "../../../src/core/text/json.ts";
import { defaultWorld } from "../../../src/sandbox/default-world.ts";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { sandboxForTest } from "../../sandbox/asking.ts";
import { problemOf, serviceOf, testClock } from "../fixtures.ts";

const csp = "hudson.model.DirectoryBrowserSupport.CSP";

interface Case {
  readonly args: JsonObject | ((sandbox: Sandbox) => JsonObject);
  readonly result: unknown;
  readonly after?: (ci: ReturnType<Sandbox["state"]>["ci"]) => void;
}

const running = ({ services }: Sandbox) => ({ buildUrl: `${services.ci.url}/job/firmware/job/bootloader/42/` });
const isStopped: Case["after"] = ({ jobs }) =>
  expect(jobs["firmware/bootloader"]?.builds[1]).toMatchObject({ number: 42, result: "ABORTED" });
const isRestarted: Case["after"] = ({ starts }) => expect(starts).toBe(2);

const cases: Readonly<Record<keyof typeof ciOperations, Case>> = {
  getCrumb: {
    args: {},
    result: { crumbRequestField: "Jenkins-Crumb", crumb: expect.stringMatching(/^[0-9a-f]{64}$/) },
  },
  getCrumbXml: {
    args: {},
    result: { crumbRequestField: "Jenkins-Crumb", crumb: expect.stringMatching(/^[0-9a-f]{64}$/) },
  },
  getVersion: { args: {}, result: { version: "2.479.3", run: "4a0001" } },
  safeRestart: {
    args: {},
    result: expect.anything(),
    after: ({ starts, restartPending }) =>
      expect({ starts, restartPending }).toEqual({ starts: 1, restartPending: true }),
  },
  restart: { args: {}, result: expect.anything(), after: isRestarted },
  runScript: {
    args: { script: { name: "setSystemProperties", properties: { [csp]: "", "user.timezone": null } } },
    result: { output: "", result: { [csp]: "", "user.timezone": null } },
    after: ({ setProperties }) => expect(setProperties).toEqual({ [csp]: "", "user.timezone": null }),
  },
  runReadScript: {
    args: { script: { name: "systemProperties", properties: ["user.timezone", "sessionTimeout"] } },
    result: { "user.timezone": "Europe/Berlin", sessionTimeout: null },
  },
  stopBuild: { args: running, result: expect.anything(), after: isStopped },
  terminateBuild: { args: running, result: expect.anything(), after: isStopped },
  killBuild: { args: running, result: expect.anything(), after: isStopped },
  getJob: {
    args: { job: "firmware/bootloader", tree: ["name", { field: "builds", of: ["number", "result"], range: [0, 1] }] },
    result: {
      _class: expect.any(String),
      name: "bootloader",
      builds: [{ _class: expect.any(String), number: 42, result: null }],
    },
  },
  listPlugins: {
    args: { tree: [{ field: "plugins", of: ["shortName", "longName", "version"] }] },
    result: {
      plugins: defaultWorld().ci.plugins.map(({ shortName, longName, version }) => ({ shortName, longName, version })),
    },
  },
  getBuildParameters: {
    args: { job: "firmware/bootloader", buildNumber: 42 },
    result: {
      actions: [
        { parameters: [{ _class: "hudson.model.StringParameterValue", name: "BRANCH", value: "main" }] },
        {},
        {},
      ],
    },
  },
  getBuildXml: {
    args: {
      job: "firmware/bootloader",
      buildNumber: 41,
      xpath: ["*", "action", { element: "parameter", where: { name: "TARGETS" } }, "value"],
    },
    result: "<value>arm,riscv</value>",
  },
  buildJob: {
    args: { job: "nightly-checks" },
    result: { queueItem: expect.stringMatching(/\/queue\/item\/10\/$/) },
    after: ({ jobs }) =>
      expect(jobs["nightly-checks"]?.builds[1]).toMatchObject({ number: 2, queueId: 10, result: null }),
  },
  buildJobWithParameters: {
    args: { job: "firmware/bootloader", parameters: { TARGETS: ["arm", "riscv"], CLEAN: true, CHANNEL: "beta" } },
    result: { queueItem: expect.stringMatching(/\/queue\/item\/10\/$/) },
    after: ({ jobs }) =>
      expect(jobs["firmware/bootloader"]?.builds[2]).toMatchObject({
        number: 43,
        parameters: { BRANCH: "main", TARGETS: "arm,riscv", CLEAN: true, CHANNEL: "beta" },
      }),
  },
  getJobConfig: { args: { job: "nightly-checks" }, result: defaultWorld().ci.jobs["nightly-checks"]?.config },
  updateJobConfig: {
    args: { job: "nightly-checks", config: "<?xml version='1.0'?><project><disabled>true</disabled></project>" },
    result: expect.anything(),
    after: ({ jobs }) =>
      expect(jobs["nightly-checks"]?.config).toBe(
        '<?xml version="1.0" encoding="UTF-8"?><project><disabled>true</disabled></project>',
      ),
  },
  getLatestStableCore: { args: {}, result: "2.479.3" },
  getLatestWeeklyCore: { args: {}, result: "2.492" },
};

function ciService({ services }: Sandbox, wire: Service["wire"] = "product"): Service {
  return serviceOf("ci", { url: services.ci.url, urls: { updates: `${services.ci.url}/updates` }, wire });
}

function open(sandbox: Sandbox, service = ciService(sandbox)): Connection {
  const credentials = { is: "basic", username: "admin", password: new Secret("secret") } as const;
  const connection = openConnection(service, { mode: "write", credentials, clock: testClock() });
  onTestFinished(() => connection.close());
  return connection;
}

describe("the sandbox answers an operation and the client decodes it:", () => {
  test.each(Object.keys(ciOperations))("%s", async (name) => {
    const found = Object.entries(cases).find(([known]) => known === name)?.[1];
    if (found === undefined) throw new Error(`no case for ${name}`);
    const sandbox = await sandboxForTest();
    const args = typeof found.args === "function" ? found.args(sandbox) : found.args;
    expect({ answer: await open(sandbox).call(name, args) }).toMatchObject({ answer: found.result });
    found.after?.(sandbox.state().ci);
    expect(sandbox.requests().find(({ operation }) => operation === name)).toMatchObject({
      effect: Object.entries(ciOperations).find(([known]) => known === name)?.[1].effect,
    });
  });
});

test("under wire: documented exactly the operations of the documents are sent", async () => {
  const sandbox = await sandboxForTest();
  const connection = open(sandbox, ciService(sandbox, "documented"));
  for (const [name, { ext }] of Object.entries(ciOperations)) {
    if (ext === undefined) continue;
    expect(await problemOf(connection.call(name, {}))).toMatchObject({ code: "SP3007" });
  }
  expect(Object.values(ciOperations).filter(({ ext }) => ext === undefined)).toHaveLength(17);
});
