import { text } from "node:stream/consumers";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "../../src/core/text/json.ts";
import { canonicalXml, withoutAdditions } from "../../src/reconcilers/ci/job-config/job-xml.ts";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { World } from "../../src/sandbox/world.ts";
import { problemOf, serveLoopback } from "../clients/fixtures.ts";
import { document } from "../support/manifest.ts";
import { ciRequest, comparable } from "./support/ci-requests.ts";
import { call, connectionTo, roadTo, whenBuild, workspaceOf } from "./support/ci-workspace.ts";
import { freePort } from "./support/gerrit.ts";
import { openShim, shimVersion } from "./support/header-shim.ts";
import { type Asking, admin, ciServer, describeWithHudson } from "./support/hudson.ts";
import { jobDocument } from "./support/job-documents.ts";
import { lawRuns } from "./support/law-runs.ts";

/** Two parameters in the server's own spelling. */
const parameterized = `<project><properties><hudson.model.ParametersDefinitionProperty><parameterDefinitions><hudson.model.StringParameterDefinition><name>BRANCH</name><defaultValue>main</defaultValue></hudson.model.StringParameterDefinition><hudson.model.BooleanParameterDefinition><name>CLEAN</name><defaultValue>false</defaultValue></hudson.model.BooleanParameterDefinition></parameterDefinitions></hudson.model.ParametersDefinitionProperty></properties></project>`;
const builder = (command: string) =>
  `<builders><hudson.tasks.Shell><command>${command}</command></hudson.tasks.Shell></builders>`;

describeWithHudson("setpoint on a real CI server", (hudson) => {
  test("doctor finds the signed-in user and the version, and reports what this server does not have", async () => {
    const diagnosis = await workspaceOf(hudson()).doctor();
    if (diagnosis.is === "wrong") throw new Error("the workspace is wrong");
    const findings = diagnosis.services[0]?.findings.map(({ check, result, code }) => [check, result, code]);
    expect(findings).toEqual([
      ["reachable", "ok", undefined],
      ["account", "ok", undefined],
      ["version", "ok", undefined],
      ["newest", "unknown", "SP3005"],
    ]);
    expect(await problemOf(call(hudson(), "listPlugins", {}))).toMatchObject({ code: "SP3005" });
  });

  test("a wrong password makes resources unknown, in the words of the server's page", async () => {
    const plan = await roadTo(hudson(), "wrong").plan(document("SystemProperty", { name: "user.dir", value: "/" }));
    expect(plan.unknown.map(({ problem }) => problem)).toMatchObject([
      { code: "SP3003", message: "The service answered 401: Failed to login as admin." },
    ]);
  });

  test("a crumb that the server no longer accepts is renewed, and the call is sent again", async () => {
    const connection = connectionTo(hudson());
    const send = () => connection.call("runScript", { script: "1 + 1" });
    await send();
    await hudson().script("hudson.model.Hudson.instance.crumbIssuer.descriptor.crumbSalt = 'renewed'");
    expect(await send()).toEqual({ output: "", result: "2" });
    expect(connection.requests).toEqual({ reads: 2, writes: 3 });
    const refused = await hudson().ask("/scriptText", { method: "POST", body: "script=1", crumb: "old" });
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("No valid crumb was included")]);
  });

  describe("scripts", () => {
    test("a SystemProperty is set, read back, and removed", async () => {
      const name = "setpoint.real";
      const road = roadTo(hudson());
      for (const value of ["it's ${x} \\ ü😀\n", "", null]) {
        const property = document("SystemProperty", { name, value: value?.replace("$", () => "$$") ?? null });
        expect((await road.apply(property)).outcomes).toMatchObject([{ result: "applied" }]);
        expect((await road.plan(property)).changes).toEqual([]);
        const told = await hudson().script(`println System.getProperty('${name}')?.bytes?.encodeBase64()`);
        expect(told.trim()).toBe(value === null ? "null" : Buffer.from(value).toString("base64"));
      }
    });

    test("a value that is too long for a literal of a script arrives whole", async () => {
      const properties = { "setpoint.long": "x".repeat(100_000) };
      await call(hudson(), "runScript", { script: { name: "setSystemProperties", properties } });
      expect((await hudson().script("println System.getProperty('setpoint.long').size()")).trim()).toBe("100000");
    });

    test.each([
      ["throw new IllegalStateException('not today')", "java.lang.IllegalStateException: not today"],
      ["nobody.knows()", "No such property: nobody"],
      ["def (", "MultipleCompilationErrorsException"],
    ])("%s is a failure in the server's words", async (script, words) => {
      const { code, message } = await problemOf(call(hudson(), "runScript", { script }));
      expect([code, message]).toEqual(["SP3007", expect.stringContaining(words)]);
    });

    test("a script's output and result are distinguished", async () => {
      const script = "println 'hi'; Hudson.instance.numExecutors";
      expect(await call(hudson(), "runScript", { script })).toEqual({ output: "hi", result: "2" });
      const { status, text } = await hudson().ask("/scriptText", { method: "POST", body: "script=no.such" });
      expect([status, text]).toEqual([200, expect.stringContaining("MissingPropertyException")]);
    });
  });

  describe("JobConfig", () => {
    const minimal = "<project>\n  <description>ours</description>\n  <disabled>true</disabled>\n</project>";

    test("a minimal document is applied, and in sync after the server's next save; someone else's change is drift", async () => {
      await hudson().createJob("minimal job+ü", "<project/>");
      const road = roadTo(hudson());
      const manifest = document("JobConfig", { job: "minimal job+ü", config: minimal });
      const path = `/job/${encodeURIComponent("minimal job+ü")}`;
      expect((await road.apply(manifest)).outcomes).toMatchObject([{ result: "applied" }]);
      expect((await road.plan(manifest)).changes).toEqual([]);

      const describeAs = (text: string) =>
        hudson().ask(`${path}/submitDescription`, { method: "POST", body: `description=${text}` });
      await describeAs("ours");
      expect((await hudson().ask(`${path}/config.xml`)).text).toContain("<blockBuildWhenUpstreamBuilding>false<");
      expect((await road.plan(manifest)).changes).toEqual([]);

      await describeAs("theirs");
      expect((await road.plan(manifest)).changes).toMatchObject([
        { action: "update", fields: [{ live: minimal.replace("ours", "theirs"), desired: minimal }] },
      ]);
      const more = minimal.replace("</project>", `${builder("true")}</project>`);
      await hudson().ask(`${path}/config.xml`, { method: "POST", body: more, type: "application/xml" });
      await describeAs("ours");
      expect((await road.plan(manifest)).changes).toMatchObject([{ action: "update" }]);
      expect((await road.apply(manifest)).outcomes).toMatchObject([{ result: "applied" }]);
    });

    test("law: whatever a document says, it is in sync once the server has saved the job", async () => {
      const road = roadTo(hudson());
      let runs = 0;
      const isKept = async (config: string) => {
        const job = `law ${++runs}`;
        await hudson().createJob(job, "<project/>");
        const { outcomes } = await road.apply(document("JobConfig", { job, config }));
        expect(outcomes).toMatchObject([{ result: "applied" }]);
        await hudson().script(`hudson.model.Hudson.instance.getItem('${job}').save()`);
        const { text } = await hudson().ask(`/job/${encodeURIComponent(job)}/config.xml`);
        // No other server has these, which repeat settings so that other jobs can inherit them.
        const live = text.replace(/<project-properties[\s\S]*<\/project-properties>/, "");
        expect(canonicalXml(withoutAdditions(live, config))).toBe(canonicalXml(config));
      };
      await fc.assert(fc.asyncProperty(jobDocument, isKept), { ...lawRuns(30), endOnFailure: true });
    });

    test("a document that the server cannot load is a failed outcome in its words, and changes nothing", async () => {
      await hudson().createJob("strict", minimal);
      const before = await hudson().ask("/job/strict/config.xml");
      const report = await roadTo(hudson()).apply(document("JobConfig", { job: "strict", config: "<no.such.Job/>" }));
      expect(report.outcomes).toMatchObject([{ result: "failed" }]);
      expect(report.calls).toMatchObject([
        { problem: { message: expect.stringContaining("CannotResolveClassException: no.such.Job") } },
      ]);
      expect((await hudson().ask("/job/strict/config.xml")).text).toBe(before.text);
    });

    test("another type of job needs a person, and nothing is sent: this server would change only the job's file", async () => {
      await hudson().createJob("typed", minimal);
      const path = "/job/typed/config.xml";
      const report = await roadTo(hudson()).apply(document("JobConfig", { job: "typed", config: "<external/>" }));
      expect([report.plan.changes, report.calls]).toMatchObject([[{ action: "check" }], []]);
      expect((await hudson().ask(path)).text).toContain("<project>");
      const body = "<hudson.model.ExternalJob/>";
      expect((await hudson().ask(path, { method: "POST", body, type: "application/xml" })).status).toBe(200);
      const { text } = await hudson().ask("/job/typed/api/xml");
      expect(text).toContain("<freeStyleProject>");
    });

    test("a job is found by its name in any case", async () => {
      await hudson().createJob("Cased", "<project/>");
      expect((await hudson().ask("/job/cASED/config.xml")).text).toContain("<project");
    });

    test("a job that the server does not know is absent, by the server's own form of 404", async () => {
      const plan = await roadTo(hudson()).plan(document("JobConfig", { job: "no such", config: minimal }));
      expect([plan.unknown, plan.changes]).toMatchObject([[], [{ action: "check" }]]);
      expect(await problemOf(call(hudson(), "getJob", { job: "no such" }))).toMatchObject({ code: "SP3005" });
    });
  });

  test("a job is started with parameters, its builds are listed, the newest first, and one is stopped", async () => {
    await hudson().createJob("long", parameterized.replace("</project>", `${builder("exec sleep 3600")}</project>`));
    const start = (parameters: JsonObject) => call(hudson(), "buildJobWithParameters", { job: "long", parameters });
    // This server redirects to the job although the build is queued; since 1.519 the answer names the item in the queue.
    const told = { code: "SP3103", message: expect.stringContaining("the build was not queued") };
    expect(await problemOf(start({ BRANCH: ["a b", "ü&="], CLEAN: true }))).toMatchObject(told);
    await whenBuild(hudson(), "long", 1, true);
    // This server does not know `*` in a tree.
    const tree = "actions[parameters[name,value]]";
    expect(await call(hudson(), "getBuildParameters", { job: "long", buildNumber: 1, tree })).toMatchObject({
      actions: expect.arrayContaining([
        {
          parameters: [
            { name: "BRANCH", value: "a b,ü&=" },
            { name: "CLEAN", value: true },
          ],
        },
      ]),
    });
    const xpath = ["*", "action", { element: "parameter", where: { name: "BRANCH" } }, "value"];
    const value = call(hudson(), "getBuildXml", { job: "long", buildNumber: 1, xpath });
    expect(await value).toBe("<value>a b,ü&amp;=</value>");
    const none = call(hudson(), "getBuildXml", { job: "long", buildNumber: 1, xpath: "/*/none" });
    expect(await problemOf(none)).toMatchObject({ message: expect.stringContaining("XPath /*/none didn't match") });

    const buildUrl = `${hudson().url}/job/long/1/`;
    expect(await problemOf(call(hudson(), "killBuild", { buildUrl }))).toMatchObject({ code: "SP3005" });
    await call(hudson(), "stopBuild", { buildUrl });
    await whenBuild(hudson(), "long", 1, false);
    const json = { parameter: [{ name: "BRANCH", value: "by form" }] };
    expect(await problemOf(call(hudson(), "buildJob", { job: "long", json }))).toMatchObject(told);
    await whenBuild(hudson(), "long", 2, true);
    expect(await call(hudson(), "getBuildXml", { job: "long", buildNumber: 2, xpath })).toBe("<value>by form</value>");
    await call(hudson(), "stopBuild", { buildUrl: `${hudson().url}/job/long/2/` });
    await whenBuild(hudson(), "long", 2, false);
    const builds = { field: "builds", of: ["number", "result"] };
    expect(await call(hudson(), "getJob", { job: "long", tree: ["name", builds] })).toEqual({
      name: "long",
      builds: [
        { number: 2, result: "ABORTED" },
        { number: 1, result: "ABORTED" },
      ],
    });
  });

  test("the sandbox answers the same requests alike, in status, media type and body", async () => {
    const start = { number: 1, result: "SUCCESS", timestamp: 1, parameters: { BRANCH: "it's", CLEAN: true } } as const;
    const parameters = [
      { name: "BRANCH", default: "main" },
      { name: "CLEAN", default: false },
    ];
    const sandbox = await startSandbox({
      world: World.parse({
        accounts: [{ username: admin.username, name: "admin", secret: admin.password, rights: "admin" }],
        ci: {
          version: shimVersion,
          jobs: { built: { type: "freestyle", parameters, builds: [start] }, enabled: { type: "freestyle" } },
        },
      }),
    });
    onTestFinished(() => sandbox.close());
    const standIn = ciServer(sandbox.services.ci.url);
    await hudson().createJob("enabled", "<project/>");
    await hudson().createJob("built", parameterized);
    await hudson().ask("/job/built/buildWithParameters", { method: "POST", body: "BRANCH=it%27s&CLEAN=true" });
    await whenBuild(hudson(), "built", 1, false);

    let runs = 0;
    async function compare(requests: readonly (readonly [string, Asking])[]): Promise<void> {
      const job = `plain ${++runs}`;
      await hudson().createJob(job, "<project/>");
      await hudson().ask(`/job/${job}/config.xml`, { method: "POST", body: "<project/>", type: "application/xml" });
      sandbox.change(({ ci }) => {
        ci.jobs[job] = {
          type: "freestyle",
          parameters: [],
          builds: [],
          config: '<?xml version="1.0" encoding="UTF-8"?><project/>',
        };
      });
      for (const [path, asking] of requests) {
        const at = path.replace("<job>", encodeURIComponent(job));
        const [real, ours] = await Promise.all(
          [hudson(), standIn].map(async (one) => comparable(one, await one.ask(at, asking))),
        );
        expect(ours, `${asking.method ?? "GET"} ${at} ${asking.body ?? ""}`).toEqual(real);
      }
    }
    const sequences = fc.array(ciRequest, { minLength: 5, maxLength: 15 });
    await fc.assert(fc.asyncProperty(sequences, compare), { ...lawRuns(40), endOnFailure: true });
  });
});

test("the shim resends a request that the server forgot, once", async () => {
  const received: string[] = [];
  const backend = await serveLoopback(async (asked, answer) => {
    received.push(`${asked.method} ${asked.url} ${await text(asked)}`);
    if (asked.url === "/forgotten-once" && received.length === 2) answer.end("here");
  });
  const port = await freePort();
  const close = await openShim(port, Number(new URL(backend).port), 50);
  onTestFinished(close);
  const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", body: "a body" });
  expect(await (await ask("/forgotten-once")).text()).toBe("here");
  expect(received).toEqual(Array(2).fill("POST /forgotten-once a body"));
  await expect(ask("/forgotten")).rejects.toThrow("fetch failed");
  expect(received).toHaveLength(4);
});
