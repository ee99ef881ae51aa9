import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Connection, openConnection } from "../../../src/clients/connect.ts";
import type { Credentials } from "../../../src/clients/credentials/credentials.ts";
import { hostingOperations } from "../../../src/clients/hosting/operations.ts";
import { beyondDocuments } from "../../../src/core/beyond.ts";
import { Secret } from "../../../src/core/secret.ts";
import type { Service } from "../../../src/core/service.ts";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { sandboxForTest } from "../../sandbox/asking.ts";
import { problemOf, serviceOf, testClock } from "../fixtures.ts";
import { cases, tip, website } from "./cases.ts";

const token = (secret: string): Credentials => ({ is: "token", token: new Secret(secret) });

function open(sandbox: Sandbox, over: Partial<Service> = {}, credentials = token("secret")): Connection {
  const service = serviceOf("hosting", { url: sandbox.services.hosting.url, ...over });
  const connection = openConnection(service, { mode: "write", credentials });
  onTestFinished(() => connection.close());
  return connection;
}

describe.each(["product", "documented"] as const)("wire: %s", (wire) => {
  const argsOf = (name: string, folder: string) => {
    const args = Object.entries(cases).find(([known]) => known === name)?.[1].args;
    return typeof args === "function" ? args(folder) : (args ?? {});
  };
  const rows = Object.entries(hostingOperations).filter(
    ([name, row]) => wire === "product" || beyondDocuments(name, row, argsOf(name, "")) === undefined,
  );

  test.each(rows.map(([name]) => name))("%s is answered by the sandbox and decoded", async (name) => {
    const found = Object.entries(cases).find(([known]) => known === name)?.[1];
    if (found === undefined) throw new Error(`no case for ${name}`);
    const folder = mkdtempSync(join(tmpdir(), "setpoint-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const sandbox = await sandboxForTest();
    expect(await open(sandbox, { wire }).call(name, argsOf(name, folder))).toEqual(found.result);
    found.after?.(sandbox, folder);
    expect(sandbox.requests()[0]?.operation).toBe(name);
  });
});

test("every public read is answered without credentials", async () => {
  const sandbox = await sandboxForTest();
  const connection = open(sandbox, {}, { is: "none" });
  for (const name of ["getMeta", "listEmojis", "getZen", "getMascot", "getRateLimit"])
    await expect(connection.call(name, {})).resolves.toBeDefined();
  for (const name of ["getRepository", "listBranches", "listCommits", "listWorkflowRuns", "getLatestRelease"])
    await expect(connection.call(name, website)).resolves.toBeDefined();
  expect(await problemOf(connection.call("getUser", {}))).toMatchObject({ code: "SP3003" });
});

test("an empty repository has no contributors, and listing its commits is refused", async () => {
  const connection = open(await sandboxForTest());
  const handbook = { owner: "meridian-kites", repo: "handbook" };
  expect(await connection.call("listContributors", handbook)).toEqual([]);
  expect(await connection.call("listBranches", handbook)).toEqual([]);
  expect(await problemOf(connection.call("listCommits", handbook))).toMatchObject({ code: "SP3007" });
});

test("a list of several pages is read to its end", async () => {
  const sandbox = await sandboxForTest();
  const connection = open(sandbox);
  sandbox.change(({ hosting }) => {
    const [first] = hosting.repositories;
    if (first !== undefined)
      for (let number = 0; number < 250; number++) first.branches[`b${number}`] = { sha: tip, protected: false };
  });
  expect(await connection.call("listBranches", website)).toHaveLength(253);
  expect(sandbox.requests()).toHaveLength(3);
});

test("the logs of a run that has none are not found, and no file is written", async () => {
  const connection = open(await sandboxForTest());
  const args = { ...website, runId: 9003, to: join(tmpdir(), "setpoint-no-logs.zip") };
  expect(await problemOf(connection.call("downloadWorkflowRunLogs", args))).toMatchObject({ code: "SP3005" });
});

test("an unchanged object is not sent again, while a changed one is", async () => {
  const sandbox = await sandboxForTest();
  const connection = open(sandbox);
  const args = { org: "meridian-kites", repo: "website" };
  const before = await connection.call("getActionsPermissions", args);
  expect(await connection.call("getActionsPermissions", args)).toEqual(before);
  await connection.call("setActionsPermissions", { ...args, enabled: false });
  expect(await connection.call("getActionsPermissions", args)).toMatchObject({ enabled: false });
  expect(sandbox.requests().map(({ status }) => status)).toEqual([200, 304, 204, 200]);
});

test("writes that are refused for following each other too fast are carried out exactly once", async () => {
  const sandbox = await sandboxForTest();
  sandbox.change((world) => {
    world.hosting.rateLimit.tooFast = 2;
  });
  const clock = testClock();
  const credentials = { is: "token", token: new Secret("secret") } as const;
  const service = serviceOf("hosting", { url: sandbox.services.hosting.url });
  const connection = openConnection(service, { mode: "write", credentials, clock });
  onTestFinished(() => connection.close());
  const repository = { org: "meridian-kites", repo: "website" };
  await connection.call("setActionsPermissions", { ...repository, enabled: false });
  expect(clock.waits).toEqual([1000, 1000]);
  expect(sandbox.requests().map(({ status }) => status)).toEqual([403, 403, 204]);
  expect(await connection.call("getActionsPermissions", repository)).toMatchObject({ enabled: false });
});
