import { basename } from "node:path";
import { expect, test } from "vitest";
import { operationsOf } from "../../src/clients/find-service.ts";
import type { RequestEvent } from "../../src/clients/http/request-events.ts";
import type { PublishingTo } from "../../src/core/run/publishing.ts";
import { openDesk, workflows } from "../support/commands.ts";
import { inMemory } from "../support/in-memory.ts";
import { problemsOf } from "../support/lab.ts";

const website = { owner: "meridian-kites", repo: "website" };
const to: PublishingTo = {
  role: "hosting",
  service: undefined,
  writes: [{ operation: "createStatus", args: { ...website, context: "setpoint/plan" } }],
};

test("a publisher's connection makes the permitted write and refuses every other before it is sent, and its requests are logged", async () => {
  await using desk = await openDesk(workflows("website", false));
  const sha = desk.sandbox.state().hosting.repositories[0]?.branches.main?.sha ?? "";
  const status = { ...website, sha, state: "success", context: "setpoint/plan" };
  const logged: unknown[] = [];
  const onRequest = ({ is, request }: RequestEvent) => is === "ended" && logged.push(request.operation);
  await desk.open({ onRequest }).publishing(to, async ({ call }) => {
    await call("getPullRequest", { ...website, pullNumber: 8 });
    await call("createStatus", status);
    expect(logged).toEqual(["getPullRequest", "createStatus"]);
    desk.sandbox.clear();
    const others = [
      ["createStatus", { ...status, context: "ci/build" }],
      ["createStatus", { ...status, repo: "telemetry" }],
      ["createStatus", { sha, state: "success" }],
      ["nonesuch", {}],
      ["toString", {}],
    ] as const;
    for (const [operation, args] of others)
      expect(await problemsOf(call(operation, args))).toMatchObject([
        { code: "SP4006", service: "hosting", operation },
      ]);
    for (const [operation, { effect }] of Object.entries(operationsOf("hosting")))
      if (effect === "write" && operation !== "createStatus")
        expect(await problemsOf(call(operation, status))).toMatchObject([{ code: "SP4006", operation }]);
  });
  expect(desk.sandbox.requests()).toEqual([]);
});

test("a service that is missing, has another role, or is one of several is reported", async () => {
  await using desk = await openDesk(workflows("website", false));
  const { publishing } = desk.open();
  const wrong = async (one: Partial<PublishingTo>) =>
    (await problemsOf(publishing({ ...to, ...one }, async () => {})))[0];
  expect(await wrong({ role: "ci" })).toMatchObject({
    code: "SP1009",
    message: expect.stringContaining("role ci"),
    hint: expect.stringContaining("setpoint kinds shows its type"),
  });
  expect(await wrong({ service: "wiki" })).toMatchObject({
    code: "SP1009",
    message: expect.stringContaining("role wiki"),
  });
  expect(await wrong({ service: "hostin" })).toMatchObject({ message: expect.stringContaining('mean "hosting"') });
  await desk.write(
    "setpoint.yaml",
    'version: 1\nservices:\n  a: { type: github, url: "http://a.example" }\n  b: { type: github, url: "http://b.example" }\n',
  );
  expect(await wrong({})).toMatchObject({
    message: "The workspace has 2 services with the role hosting.",
    hint: "Name one: a or b.",
  });
});

test("a workspace is named after its place in the repository, or after its folder outside of one", async () => {
  await using desk = await openDesk(workflows("website", false));
  expect(await desk.open().location()).toEqual({ prefix: "", name: basename(desk.path) });
  const repository = (prefix: string) => async () => ({
    folder: desk.path,
    prefix,
    run: async () => Buffer.alloc(0),
    stream: async () => {
      throw new Error("not asked");
    },
    commitOf: async () => "",
  });
  expect(await desk.open({ repository: repository("") }).location()).toEqual({ prefix: "", name: "" });
  expect(await desk.open({ repository: repository("teams/a/") }).location()).toEqual({
    prefix: "teams/a/",
    name: "teams/a",
  });
});

test("a run with a trusted ref publishes to the services of that ref, whatever the workspace says", async () => {
  await using desk = await openDesk(workflows("website", false), { settings: "# changed\n" });
  const trusted = `version: 1\nservices:\n  code: { type: github, url: "${desk.sandbox.url}/hosting", limits: { timeout: 2m } }\n`;
  const filesAt = async () => inMemory({ "setpoint.yaml": trusted });
  const env = { ...desk.env, SETPOINT_CODE_URL: desk.sandbox.url, SETPOINT_CODE_TOKEN: "secret" };
  expect(await desk.open({ trust: "main", filesAt, env }).publishing(to, async ({ services }) => services)).toEqual([
    "code",
  ]);
});
