import { describe, expect, test } from "vitest";
import { unpack } from "../../../src/sandbox/artifacts/archive.ts";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { ask, sandboxForTest } from "../asking.ts";
import { hosting, post, read, tipOf, website } from "./hosting.ts";

describe("statuses", () => {
  test("are added, and read back with the newest first", async () => {
    const sandbox = await sandboxForTest();
    const sha = tipOf(sandbox);
    const { status, headers, text } = await post(sandbox, `${website}/statuses/${sha}`, { state: "error" });
    expect([status, headers.get("location"), JSON.parse(text)]).toEqual([
      201,
      `${sandbox.services.hosting.url}${website}/statuses/${sha}`,
      expect.objectContaining({
        state: "error",
        context: "default",
        creator: expect.objectContaining({ login: "admin" }),
      }),
    ]);
    expect(await read(sandbox, `${website}/commits/main/statuses`)).toMatchObject([
      { state: "error", context: "default" },
      { state: "success" },
      { state: "pending" },
    ]);
  });

  test.each([
    [{ state: "done" }, 422],
    [{}, 422],
    [{ state: "success", target_url: "ftp://x" }, 422],
    [{ state: "success", description: "x".repeat(141) }, 422],
    [{ state: "success", conclusion: "good" }, 422],
  ])("%j is refused with %i", async (body, status) => {
    const sandbox = await sandboxForTest();
    const before = sandbox.state();
    expect((await post(sandbox, `${website}/statuses/${tipOf(sandbox)}`, body)).status).toBe(status);
    expect(sandbox.state()).toEqual(before);
  });

  test("are only for whole SHAs", async () => {
    const sandbox = await sandboxForTest();
    for (const sha of ["main", tipOf(sandbox).slice(0, 8), "0".repeat(40)])
      expect((await post(sandbox, `${website}/statuses/${sha}`, { state: "success" })).status).toBe(422);
  });

  test("are at most 1,000 per commit and context, whatever its case", async () => {
    const sandbox = await sandboxForTest();
    const sha = tipOf(sandbox);
    sandbox.change(({ hosting: { repositories } }) => {
      for (let id = 4000; id < 5000; id++)
        repositories[0]?.statuses.push({
          id,
          sha,
          state: "success",
          context: "Many",
          description: null,
          target_url: null,
          creator: "admin",
          created_at: "2026-02-03T08:00:00Z",
        });
    });
    const send = (context: string) => post(sandbox, `${website}/statuses/${sha}`, { state: "success", context });
    const refused = await send("many");
    expect([refused.status, JSON.parse(refused.text).errors]).toEqual([
      422,
      [expect.objectContaining({ code: "custom" })],
    ]);
    expect((await send("other")).status).toBe(201);
  });

  test("are only for those who may write", async () => {
    const sandbox = await sandboxForTest();
    const send = (secret: string) =>
      post(sandbox, `${website}/statuses/${tipOf(sandbox)}`, { state: "success" }, secret);
    expect([(await send("auditor-secret")).status, (await send("")).status]).toEqual([403, 401]);
  });
});

describe("comments", () => {
  const patch = (sandbox: Sandbox, id: number, body: unknown, secret?: string) =>
    hosting(
      sandbox,
      `${website}/issues/comments/${id}`,
      { method: "PATCH", headers: { "content-type": "application/json" }, body: JSON.stringify(body) },
      secret,
    );

  test("are added to pull requests and issues, and replaced by their authors", async () => {
    const sandbox = await sandboxForTest();
    for (const number of [8, 6])
      expect(
        (await post(sandbox, `${website}/issues/${number}/comments`, { body: "Seen." }, "jdoe-secret")).status,
      ).toBe(201);
    const added = (await read(sandbox, `${website}/issues/8/comments`)).at(-1);
    expect(added).toMatchObject({ body: "Seen.", user: { login: "jdoe" } });
    expect((await patch(sandbox, added.id, { body: "Read." }, "jdoe-secret")).status).toBe(200);
    expect((await read(sandbox, `${website}/issues/8/comments`)).at(-1)).toMatchObject({ id: added.id, body: "Read." });
    expect((await read(sandbox, `${website}/issues/6/comments`)).at(-1)).toMatchObject({ body: "Seen." });
  });

  test("are refused if the text is missing or too long, if the caller may not write, or if the target does not exist", async () => {
    const sandbox = await sandboxForTest();
    const before = sandbox.state();
    const send = async (number: number, body: unknown, secret?: string) =>
      (await post(sandbox, `${website}/issues/${number}/comments`, body, secret)).status;
    expect(await send(8, {})).toBe(422);
    expect(await send(8, { body: "" })).toBe(422);
    expect(await send(8, { body: "x".repeat(65_537) })).toBe(422);
    expect(await send(99, { body: "x" })).toBe(404);
    expect(await send(8, { body: "x" }, "auditor-secret")).toBe(403);
    expect(await send(8, { body: "x" }, "")).toBe(401);
    expect((await patch(sandbox, 501, { body: "x" }, "jdoe-secret")).status).toBe(403);
    expect((await patch(sandbox, 99, { body: "x" })).status).toBe(404);
    expect(sandbox.state()).toEqual(before);
  });
});

describe("workflows", () => {
  const dispatches = (workflow: string) => `${website}/actions/workflows/${workflow}/dispatches`;

  test("are started by file name or id, and name the run on request", async () => {
    const sandbox = await sandboxForTest();
    const first = await post(sandbox, dispatches("publish.yml"), { ref: "main", inputs: { target: "test" } });
    expect([first.status, first.text]).toEqual([204, ""]);
    const second = await post(sandbox, dispatches("22"), { ref: "refs/heads/main", return_run_details: true });
    const run_url = `${sandbox.services.hosting.url}${website}/actions/runs/9005`;
    expect([second.status, JSON.parse(second.text)]).toMatchObject([200, { workflow_run_id: 9005, run_url }]);
    const { workflow_runs } = await read(sandbox, `${website}/actions/runs?event=workflow_dispatch`);
    expect(workflow_runs).toMatchObject([
      { id: 9005, run_number: 5, status: "queued", conclusion: null, head_sha: tipOf(sandbox) },
      { id: 9004, run_number: 4, name: "Publish" },
      { id: 9003 },
    ]);
  });

  test.each([
    ["none.yml", { ref: "main" }, 404, "Not Found"],
    ["publish.yml", {}, 422, `"ref" wasn't supplied.`],
    ["publish.yml", { ref: "gone" }, 422, "No ref found for: gone"],
    ["publish.yml", { ref: "main", inputs: { colour: "red" } }, 422, `Unexpected inputs provided: ["colour"]`],
    [
      "publish.yml",
      { ref: "main", inputs: Object.fromEntries(Array.from({ length: 26 }, (_, at) => [`i${at}`, ""])) },
      422,
      "has more than 25 properties",
    ],
    ["checks.yml", { ref: "main" }, 422, "Workflow does not have 'workflow_dispatch' trigger"],
  ])("%s with %j is refused with %i", async (workflow, body, status, message) => {
    const answer = await post(await sandboxForTest(), dispatches(workflow), body);
    expect([answer.status, JSON.parse(answer.text).message]).toEqual([status, expect.stringContaining(message)]);
  });

  test("do not start in a repository in which no workflows may run", async () => {
    const sandbox = await sandboxForTest();
    sandbox.change(({ hosting: { repositories } }) => {
      for (const { actions } of repositories) actions.enabled = false;
    });
    expect((await post(sandbox, dispatches("publish.yml"), { ref: "main" })).status).toBe(422);
  });

  test("keep the logs of a run at a signed URL, which needs no credentials", async () => {
    const sandbox = await sandboxForTest();
    const logs = (run: number, secret?: string) =>
      hosting(sandbox, `${website}/actions/runs/${run}/logs`, { redirect: "manual" }, secret);
    const { status, headers } = await logs(9001);
    const location = headers.get("location") ?? "";
    expect([status, location]).toEqual([302, expect.stringContaining("/_logs/9001?signature=")]);
    const archive = await fetch(location);
    const files = unpack(Buffer.from(await archive.arrayBuffer()));
    expect(Object.keys(files)).toEqual(["0_checks.txt", "checks/1_Set up.txt"]);
    expect((await ask(location.slice(0, -1))).status).toBe(404);
    expect([(await logs(9003)).status, (await logs(9001, "")).status]).toEqual([404, 401]);
  });
});
