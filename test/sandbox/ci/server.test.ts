import { describe, expect, test } from "vitest";
import { ciOperations } from "../../../src/clients/ci/operations.ts";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { buildsOf, ci, ciSandbox, crumb, post } from "./ci.ts";

describe("a caller", () => {
  test("must send credentials, and correct ones", async () => {
    const sandbox = await ciSandbox();
    const anonymous = await ci(sandbox, "/job/plain/api/json", { username: "" });
    expect([anonymous.status, anonymous.headers.get("content-type")]).toEqual([403, "text/html;charset=utf-8"]);
    const wrong = await ci(sandbox, "/job/plain/api/json", { headers: {}, username: "eve" });
    expect([wrong.status, wrong.headers.get("www-authenticate")]).toEqual([401, 'Basic realm="Jenkins"']);
  });

  test.each([
    ["rex", "/job/plain/build", "Job/Build"],
    ["max", "/job/plain/5/stop", "Job/Cancel"],
    ["rex", "/job/plain/config.xml", "Job/Configure"],
    ["rex", "/restart", "Overall/Administer"],
    ["rex", "/safeRestart", "Overall/Administer"],
    ["rex", "/scriptText", "Overall/Administer"],
  ])("such as %s may not POST %s: the page names %s", async (username, path, permission) => {
    const sandbox = await ciSandbox();
    const before = sandbox.state();
    const answer = await post(sandbox, path, {}, username);
    expect(answer.status).toBe(403);
    expect(answer.text).toContain(`${username} is missing the ${permission} permission`);
    expect(sandbox.state()).toEqual(before);
  });

  test.each(["/job/plain/config.xml", "/pluginManager/api/json"])(
    "cannot read %s with just any account",
    async (path) => {
      const sandbox = await ciSandbox();
      expect((await ci(sandbox, path, { username: "max" })).status).toBe(403);
      expect((await ci(sandbox, path, { username: "rex" })).status).toBe(200);
    },
  );

  test("needs no credentials for the update site", async () => {
    const sandbox = await ciSandbox();
    const stable = "/updates/dynamic-stable/latestCore.txt";
    const redirect = await ci(sandbox, "/updates/stable/latestCore.txt", { username: "" });
    expect(redirect.headers.get("location")).toBe(`${sandbox.services.ci.url}${stable}`);
    expect(await ci(sandbox, stable, { username: "" })).toMatchObject({ text: "2.479.3" });
    expect(await ci(sandbox, "/updates/current/latestCore.txt", { username: "" })).toMatchObject({ text: "2.492" });
  });
});

describe("a crumb", () => {
  test("is the same in JSON, text and XML", async () => {
    const sandbox = await ciSandbox();
    const { "Jenkins-Crumb": value } = await crumb(sandbox);
    const line = await ci(sandbox, "/crumbIssuer/api/xml?xpath=concat(//crumbRequestField,':',//crumb)");
    expect(line).toMatchObject({ status: 200, text: `Jenkins-Crumb:${value}` });
    const xml = await ci(sandbox, "/crumbIssuer/api/xml?xpath=/*/crumb");
    expect(xml.text).toBe(`<crumb>${value}</crumb>`);
  });

  test.each<readonly [string, (fields: Record<string, string>) => Record<string, string>]>([
    ["without it", () => ({})],
    ["with another one", (fields) => ({ ...fields, "Jenkins-Crumb": "0" })],
    ["without its session", ({ cookie: _cookie, ...fields }) => fields],
    ["with another session", (fields) => ({ ...fields, cookie: `${fields.cookie}0` })],
  ])("is required for a change: %s the change is refused", async (_case, change) => {
    const sandbox = await ciSandbox();
    const headers = change(await crumb(sandbox));
    const answer = await ci(sandbox, "/job/plain/build", { method: "POST", headers });
    expect(answer.status).toBe(403);
    expect(answer.text).toContain("No valid crumb was included in the request");
    expect(buildsOf(sandbox, "plain")).toHaveLength(1);
  });

  test("is valid only for its own account", async () => {
    const sandbox = await ciSandbox();
    const headers = await crumb(sandbox, "rex");
    expect((await ci(sandbox, "/job/plain/build", { method: "POST", headers })).status).toBe(403);
  });

  test.each([
    ["2.176.1", 201],
    ["2.176.2", 403],
    ["2.1000", 403],
  ])("of version %s without its session is answered with %i", async (version, status) => {
    const sandbox = await ciSandbox({ version });
    const { cookie: _cookie, ...headers } = await crumb(sandbox);
    expect((await ci(sandbox, "/job/plain/build", { method: "POST", headers })).status).toBe(status);
  });

  test("neither exists nor is required if the server has no issuer", async () => {
    const sandbox = await ciSandbox({ crumbs: false });
    expect((await ci(sandbox, "/crumbIssuer/api/json")).status).toBe(404);
    expect((await ci(sandbox, "/job/plain/build", { method: "POST" })).status).toBe(201);
  });
});

describe("a restart", () => {
  test("answers with a page until the server is up; then sessions are over and nothing runs", async () => {
    const sandbox = await ciSandbox({ startupRequests: 2 });
    const headers = await crumb(sandbox);
    expect((await ci(sandbox, "/restart", { method: "POST", headers })).status).toBe(302);
    const answers = [];
    for (let asked = 0; asked < 3; asked++) answers.push(await ci(sandbox, "/api/json?tree=mode"));
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 200]);
    expect(answers[0]?.text).toContain("Please wait while Jenkins is getting ready to work");
    expect(answers[2]?.headers.get("x-jenkins-session")).toBe("4a0002");
    expect((await ci(sandbox, "/job/plain/build", { method: "POST", headers })).status).toBe(403);
    expect(buildsOf(sandbox, "plain")[0]?.result).toBe("ABORTED");
  });

  test("that is safe happens once no build is running", async () => {
    const sandbox = await ciSandbox();
    await post(sandbox, "/safeRestart");
    await post(sandbox, "/job/plain/5/stop");
    expect(sandbox.state().ci.starts).toBe(1);
    await post(sandbox, "/job/a/job/b%20c/2/stop");
    expect(sandbox.state().ci).toMatchObject({ starts: 2, starting: 1, restartPending: false });
  });

  test("that is safe happens immediately on an idle server", async () => {
    const sandbox = await ciSandbox({ jobs: {} });
    await post(sandbox, "/safeRestart");
    expect(sandbox.state().ci.starts).toBe(2);
  });
});

describe("a script", () => {
  /** Runs a script of the client, or any text, and returns the outcome from the last line. */
  async function run(sandbox: Sandbox, script: unknown): Promise<unknown> {
    const parsed = ciOperations.runScript.args.parse({ script });
    const { status, text } = await post(sandbox, "/scriptText", parsed);
    expect(status).toBe(200);
    return JSON.parse(text.trim().replace(/^setpoint-outcome /, ""));
  }
  const setProperties = (properties: object) => ({ name: "setSystemProperties", properties });
  const changePlugins = (install: object[], uninstall: string[] = []) => ({
    name: "changePlugins",
    install,
    uninstall,
  });

  test("sets system properties, until the next start", async () => {
    const sandbox = await ciSandbox({ jobs: {} });
    const changed = { "user.timezone": null, x: "1" };
    expect(await run(sandbox, setProperties(changed))).toEqual({ status: 200, result: changed });
    expect(await run(sandbox, setProperties({ x: "2" }))).toEqual({ status: 200, result: { x: "2" } });
    await post(sandbox, "/restart");
    expect(sandbox.state().ci.startProperties).toEqual({ "user.timezone": "UTC" });
    expect(sandbox.state().ci.setProperties).toEqual({});
  });

  test("installs a new plugin immediately, but another version or a removal takes a restart", async () => {
    const sandbox = await ciSandbox();
    const shown = () => sandbox.state().ci.plugins.map(({ shortName, version }) => `${shortName} ${version}`);
    const script = changePlugins([{ plugin: "fresh" }, { plugin: "git", version: "5.7" }], ["old"]);
    expect(await run(sandbox, script)).toEqual({ status: 200, result: { restartRequired: true } });
    expect(shown()).toEqual(["git 5.6", "old 1", "fresh 3"]);
    await post(sandbox, "/restart");
    expect(shown()).toEqual(["git 5.7", "fresh 3"]);
  });

  test.each([
    [changePlugins([{ plugin: "fresh" }, { plugin: "none" }]), "none is not on the update site"],
    [changePlugins([{ plugin: "git", version: "5.6" }]), "git 5.6 is not on the update site, which has 5.7"],
    [changePlugins([{ plugin: "fresh" }], ["none"]), "none is not installed"],
  ])("%j throws before anything is changed: %s", async (script, said) => {
    const sandbox = await ciSandbox();
    const before = sandbox.state();
    const message = `java.lang.IllegalArgumentException: ${said}`;
    expect(await run(sandbox, script)).toEqual({ status: 422, message });
    expect(sandbox.state()).toEqual(before);
  });

  test("that changes something does not run as a script that only reads", async () => {
    const sandbox = await ciSandbox();
    const { script } = ciOperations.runScript.args.parse({ script: setProperties({ x: "1" }) });
    expect((await post(sandbox, "/scriptText", { script, effect: "read" })).status).toBe(501);
    expect(sandbox.state().ci.setProperties).toEqual({});
  });
});

test("every answer names the version", async () => {
  const sandbox = await ciSandbox();
  for (const path of ["/api/json", "/job/none/api/json"])
    expect((await ci(sandbox, path)).headers.get("x-jenkins")).toBe("2.479.3");
});
