import { describe, expect, test } from "vitest";
import { buildsOf, ci, ciSandbox, config, crumb, post } from "./ci.ts";

describe("a tree", () => {
  test.each([
    ["name,nextBuildNumber", { name: "b c", nextBuildNumber: 3 }],
    ["builds[number,result]{0,1}", { builds: [{ number: 2, result: null }] }],
    ["builds[number]{1,}", { builds: [{ number: 1 }] }],
    [
      "lastBuild[actions[parameters[name]]]",
      { lastBuild: { actions: [{ parameters: [{ name: "BRANCH" }, { name: "NOTE" }] }, {}, {}] } },
    ],
    ["name,builds", { name: "b c", builds: [{}, {}] }],
    ["name, builds", { name: "b c" }],
  ])("%s selects the named fields", async (tree, expected) => {
    const sandbox = await ciSandbox();
    const answer = await ci(sandbox, `/job/a/job/b%20c/api/json?tree=${encodeURIComponent(tree)}`);
    const selected: unknown = JSON.parse(answer.text, (name, value) => (name === "_class" ? undefined : value));
    expect(selected).toEqual(expected);
  });

  test.each(["", "a[", "a]", "a[]", "a,", "a{x}", "[a]", "a{0,1"])("%j makes the server fail", async (tree) => {
    const answer = await ci(await ciSandbox(), `/job/plain/api/json?tree=${encodeURIComponent(tree)}`);
    expect(answer.status).toBe(500);
  });

  test("is optional: without one a job shows its builds' numbers, and a build everything", async () => {
    const sandbox = await ciSandbox();
    const { url } = sandbox.services.ci;
    expect(JSON.parse((await ci(sandbox, "/job/plain/api/json")).text)).toMatchObject({
      fullName: "plain",
      url: `${url}/job/plain/`,
      buildable: true,
      builds: [{ number: 5, url: `${url}/job/plain/5/` }],
    });
    expect(JSON.parse((await ci(sandbox, "/job/a/job/b%20c/1/api/json")).text)).toMatchObject({
      id: "1",
      result: "SUCCESS",
      building: false,
      url: `${url}/job/a/job/b%20c/1/`,
      actions: [
        {
          parameters: [
            { name: "BRANCH", value: "it's" },
            { name: "CLEAN", value: true },
          ],
        },
        {},
        {},
      ],
    });
  });

  test("of a folder selects the jobs in it", async () => {
    const answer = await ci(await ciSandbox(), "/job/a/api/json?tree=jobs[name]");
    expect(JSON.parse(answer.text)).toMatchObject({ jobs: [{ name: "b c" }] });
  });

  test("of builds selects the newest 100, and of allBuilds all of them", async () => {
    const many = Array.from({ length: 103 }, (_none, index) => ({
      number: index + 1,
      result: "SUCCESS",
      timestamp: 1,
    }));
    const sandbox = await ciSandbox({ jobs: { many: { builds: many } } });
    const { text } = await ci(sandbox, "/job/many/api/json?tree=builds[number],allBuilds[number]");
    const { builds: newest, allBuilds } = JSON.parse(text);
    expect([newest.length, newest[0].number, allBuilds.length]).toEqual([100, 103, 103]);
  });

  test("shows plugins' fields only on request", async () => {
    const sandbox = await ciSandbox();
    const plugins = async (query: string) =>
      JSON.parse((await ci(sandbox, `/pluginManager/api/json${query}`)).text).plugins[0];
    expect(await plugins("")).toEqual({});
    expect(await plugins("?tree=plugins[shortName,version]")).toEqual({ shortName: "git", version: "5.6" });
    expect(await plugins("?depth=1")).toMatchObject({ longName: "Git", enabled: true, hasUpdate: true });
  });
});

describe("an xpath", () => {
  const at = (expression: string) => `/job/a/job/b%20c/1/api/xml?xpath=${encodeURIComponent(expression)}`;

  test.each([
    ["/*/action/parameter[name='BRANCH']/value", 200, "<value>it's</value>"],
    [`/*/action/parameter[name="BRANCH"][value="it's"]/value`, 200, "<value>it's</value>"],
    [`/*/action/parameter[value=concat('it',"'",'s')]/name`, 200, "<name>BRANCH</name>"],
    ["/workflowRun/number", 200, "<number>1</number>"],
    ["/*/action/parameter[name='NOPE']/value", 404, "XPath /*/action/parameter[name='NOPE']/value didn't match"],
    ["/*/action/parameter", 500, "matched 2 nodes"],
    ["/freeStyleBuild", 404, "didn't match"],
    ["//[", 501, "the XPath expression //["],
  ])("%s gives %i", async (expression, status, text) => {
    const answer = await ci(await ciSandbox(), at(expression));
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(text);
  });

  test("is optional: the whole build is XML with its class", async () => {
    const answer = await ci(await ciSandbox(), "/job/plain/5/api/xml");
    expect(answer.headers.get("content-type")).toBe("application/xml;charset=utf-8");
    expect(answer.text).toMatch(
      /^<freeStyleBuild _class='hudson.model.FreeStyleBuild'>.*<number>5<\/number>.*<\/freeStyleBuild>$/,
    );
  });
});

describe("starting a job", () => {
  test("answers with the build's place in the queue, and the build runs", async () => {
    const sandbox = await ciSandbox();
    const answer = await post(sandbox, "/job/plain/build");
    expect([answer.status, answer.headers.get("location")]).toEqual([201, `${sandbox.services.ci.url}/queue/item/1/`]);
    expect(buildsOf(sandbox, "plain")[1]).toMatchObject({ number: 6, result: null, queueId: 1 });
  });

  test("takes the job's parameters, by their type, and defaults for the others", async () => {
    const sandbox = await ciSandbox();
    await post(sandbox, "/job/a/job/b%20c/buildWithParameters", { CLEAN: "true", UNKNOWN: "x" });
    expect(buildsOf(sandbox, "a/b c")[2]?.parameters).toEqual({ BRANCH: "main", CLEAN: true, CHANNEL: "beta" });
  });

  test("by the form of its page takes only the parameters in the form, without defaults", async () => {
    const sandbox = await ciSandbox();
    await post(sandbox, "/job/a/job/b%20c/build", { json: '{"parameter":[{"name":"CLEAN","value":true}]}' });
    expect(buildsOf(sandbox, "a/b c")[2]?.parameters).toEqual({ CLEAN: true });
  });

  test.each([
    [
      "/job/a/job/b%20c/build",
      { json: '{"parameter":[{"name":"UNKNOWN","value":"x"}]}' },
      500,
      "java.lang.IllegalArgumentException: No such parameter definition: UNKNOWN",
    ],
    [
      "/job/a/job/b%20c/buildWithParameters?BRANCH=a",
      { BRANCH: "b" },
      500,
      "java.lang.IllegalArgumentException: Illegal number of parameter values for BRANCH: 2",
    ],
    ["/job/a%2Fb%20c/buildWithParameters", {}, 404, "Not Found"],
    ["/job/off/build", {}, 409, "off is not buildable"],
    ["/job/none/build", {}, 404, "Not Found"],
    ["/job/a/build", {}, 404, "Not Found"],
    ["/job/a/job/b%20c/build", {}, 400, "Nothing is submitted"],
    ["/job/plain/buildWithParameters", {}, 500, "java.lang.IllegalStateException: This build is not parameterized!"],
    ["/job/a/job/b%20c/buildWithParameters", { CHANNEL: "x" }, 400, "Illegal choice for parameter CHANNEL: x"],
  ])("%s with %j is refused: %i %s", async (path, form, status, said) => {
    const answer = await post(await ciSandbox(), path, form);
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(`<h2>HTTP ERROR ${status} ${said}</h2>`);
  });

  test("of a job without parameters is refused as a bad request since 2.524", async () => {
    const sandbox = await ciSandbox();
    sandbox.change(({ ci }) => {
      ci.version = "2.524";
    });
    const answer = await post(sandbox, "/job/plain/buildWithParameters");
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("400 plain is not parameterized<")]);
  });
});

describe("ending a build", () => {
  test.each([
    ["stop", 302, "/job/a/job/b%20c/2/"],
    ["term", 200, undefined],
    ["kill", 200, undefined],
  ])("by %s aborts it, and redirects to its page or nowhere", async (how, status, page) => {
    const sandbox = await ciSandbox();
    const answer = await post(sandbox, `/job/a/job/b%20c/2/${how}`);
    const location = page === undefined ? null : `${sandbox.services.ci.url}${page}`;
    expect([answer.status, answer.headers.get("location")]).toEqual([status, location]);
    expect(buildsOf(sandbox, "a/b c")[1]?.result).toBe("ABORTED");
  });

  test("does not change a build that has already ended", async () => {
    const sandbox = await ciSandbox();
    await post(sandbox, "/job/a/job/b%20c/1/stop");
    expect(buildsOf(sandbox, "a/b c")[0]).toMatchObject({ result: "SUCCESS", duration: 50 });
  });

  test.each(["term", "kill"])("by %s redirects to a missing page if the job is not a pipeline", async (how) => {
    const sandbox = await ciSandbox();
    const answer = await post(sandbox, `/job/plain/5/${how}`);
    const location = `${sandbox.services.ci.url}/job/plain/5/${how}/`;
    expect([answer.status, answer.headers.get("location")]).toEqual([302, location]);
    expect((await ci(sandbox, `/job/plain/5/${how}/`)).status).toBe(404);
  });

  test.each(["/job/plain/9/term", "/job/plain/9/kill", "/job/plain/9/stop"])(
    "fails for a missing build: %s",
    async (path) => {
      expect((await post(await ciSandbox(), path)).status).toBe(404);
    },
  );
});

describe("a job's configuration", () => {
  const headers = { "content-type": "application/xml" };

  test("is replaced, and stays as it was posted except for its declaration", async () => {
    const sandbox = await ciSandbox();
    const body = '<?xml version="1.0"?>\n<!-- ours --><project><disabled>true</disabled><a></a></project>\n';
    const sent = await ci(sandbox, "/job/plain/config.xml", {
      method: "POST",
      headers: { ...headers, ...(await crumb(sandbox)) },
      body,
    });
    expect(sent.status).toBe(200);
    const read = await ci(sandbox, "/job/plain/config.xml");
    expect(read.headers.get("content-type")).toBe("application/xml");
    expect(read.text).toBe(
      '<?xml version="1.0" encoding="UTF-8"?><!-- ours --><project><disabled>true</disabled><a></a></project>',
    );
    expect((await post(sandbox, "/job/plain/build")).status).toBe(409);
  });

  test.each([
    ["<disabled> true </disabled>", 409],
    ["<disabled><![CDATA[true]]></disabled>", 409],
    ["<!-- <disabled>true</disabled> -->", 201],
    ["<step><disabled>true</disabled></step>", 201],
    ["<disabled/>", 201],
  ])("with %s inside decides whether a build starts: %d", async (inside, status) => {
    const job = { type: "freestyle", config: `<project>${inside}</project>` };
    const sandbox = await ciSandbox({ jobs: { job } });
    expect((await post(sandbox, "/job/job/build")).status).toBe(status);
  });

  test.each(["", "{}", "<project>", "<flow-definition/>"])("cannot be %j", async (body) => {
    const sandbox = await ciSandbox();
    const fields = { ...headers, ...(await crumb(sandbox)) };
    const sent = await ci(sandbox, "/job/plain/config.xml", { method: "POST", headers: fields, body });
    expect(sent.status).toBe(500);
    expect(sandbox.state().ci.jobs.plain?.config).toBe(config);
  });
});

test("a job and a folder at the top are found in any case, and keep their names, but what is in a folder only in its own", async () => {
  const sandbox = await ciSandbox();
  const read = async (path: string) => JSON.parse((await ci(sandbox, `${path}/api/json`)).text);
  expect(await read("/job/A/job/b%20c")).toMatchObject({ fullName: "a/b c", name: "b c" });
  expect(await read("/job/A")).toMatchObject({ fullName: "a", jobs: [{ name: "b c" }] });
  expect((await post(sandbox, "/job/A/job/b%20c/build", { json: '{"parameter":[]}' })).status).toBe(201);
  expect(Object.keys(sandbox.state().ci.jobs)).toEqual(["a/b c", "plain", "off"]);
  expect(buildsOf(sandbox, "a/b c")).toHaveLength(3);
  expect(await read("/job/PLAIN")).toMatchObject({ fullName: "plain" });
  for (const path of ["/job/B%20C", "/job/a/job/B%20C"])
    expect((await ci(sandbox, `${path}/api/json`)).status).toBe(404);
});

test("the server lists its jobs and folders, and the contents of folders if a tree asks for them", async () => {
  const sandbox = await ciSandbox();
  const listed = async (query = "") => JSON.parse((await ci(sandbox, `/api/json${query}`)).text).jobs;
  expect(await listed()).toMatchObject([
    { _class: "com.cloudbees.hudson.plugins.folder.Folder", name: "a", url: expect.stringMatching(/\/job\/a\/$/) },
    { name: "plain", color: "notbuilt_anime" },
    { name: "off", color: "disabled" },
  ]);
  expect(await listed("?tree=jobs[name,jobs[name,lastBuild[number]]]")).toMatchObject([
    { name: "a", jobs: [{ name: "b c", lastBuild: { number: 2 } }] },
    {},
    {},
  ]);
});

test("parameters of a build can also be in the query", async () => {
  const sandbox = await ciSandbox();
  await post(sandbox, "/job/a/job/b%20c/buildWithParameters?BRANCH=query&CLEAN=true", { CHANNEL: "stable" });
  expect(buildsOf(sandbox, "a/b c").at(-1)?.parameters).toEqual({ BRANCH: "query", CLEAN: true, CHANNEL: "stable" });
});
