import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { defaultWorld } from "../../src/sandbox/default-world.ts";
import { serve, setpoint, temporaryFolder } from "../support/commands.ts";
import { roles } from "../support/roles.ts";

test("the first line is one JSON object with every service's address", async () => {
  await using sandbox = await serve([]);
  const { url } = sandbox;
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const services = Object.fromEntries(roles.map((role) => [role, { url: `${url}/${role}` }]));
  expect(sandbox.ready).toEqual({ url, services });
});

test("what was asked is listed, logged and forgotten on demand; SIGTERM ends it with 0", async () => {
  await using folder = await temporaryFolder();
  const log = join(folder.path, "requests.jsonl");
  await using sandbox = await serve(["--log", log]);
  await sandbox.request("GET", "/wiki/rest/api/content/48213?expand=version");
  const asked = {
    method: "GET",
    path: "/rest/api/content/48213?expand=version",
    service: "wiki",
    operation: "getPage",
    effect: "read",
    status: 200,
  };
  expect(await (await sandbox.request("GET", "/_sandbox/requests")).json()).toEqual([asked]);
  expect((await sandbox.request("DELETE", "/_sandbox/requests")).status).toBe(204);
  expect(await (await sandbox.request("GET", "/_sandbox/requests")).json()).toEqual([]);
  expect(await readFile(log, "utf8")).toBe(`${JSON.stringify(asked)}\n`);
  expect(await sandbox.stop()).toBe(0);
});

test("with --state and --port, a restart finds everything where it was", async () => {
  await using folder = await temporaryFolder();
  const state = join(folder.path, "state");
  await using first = await serve(["--state", state]);
  const body = JSON.stringify({ enabled: false });
  const path = "/hosting/repos/meridian-kites/website/actions/permissions";
  expect((await first.request("PUT", path, body)).status).toBe(204);
  expect(await first.stop()).toBe(0);
  await using second = await serve(["--state", state, "--port", new URL(first.url).port]);
  expect(second.url).toBe(first.url);
  expect(await (await second.request("GET", path)).json()).toMatchObject({ enabled: false });
});

test("--world is where it starts from", async () => {
  await using folder = await temporaryFolder();
  await folder.write("world.json", JSON.stringify({ ...defaultWorld(), wiki: { pages: {} } }));
  await using sandbox = await serve(["--world", join(folder.path, "world.json")]);
  expect((await sandbox.request("GET", "/wiki/rest/api/content/48213")).status).toBe(404);
});

test("a world with mistakes is refused, with the place of each", async () => {
  await using folder = await temporaryFolder();
  await folder.write("world.json", '{\n  "accounts": [],\n  "wikki": {}\n}\n');
  const { code, out, err } = await setpoint(["sandbox", "--world", "world.json"], { cwd: folder.path });
  expect(out).toMatchInlineSnapshot(`
    "world.json:2:15  SP1002  accounts is too short: expected at least 1 entry.
    world.json:3:12  SP1004  The world has no field "wikki".
    Nothing more was done.
    "
  `);
  expect({ code, err }).toEqual({ code: 1, err: "" });
});

test("a world that is not there, and a port that is taken, are problems", async () => {
  await using sandbox = await serve([]);
  expect(await setpoint(["sandbox", "--world", "/nowhere/world.json"])).toMatchInlineSnapshot(`
    {
      "code": 1,
      "err": "",
      "out": "SP1017  ENOENT: no such file or directory, open '/nowhere/world.json'.
    Nothing more was done.
    ",
    }
  `);
  const taken = await setpoint(["sandbox", "--port", new URL(sandbox.url).port]);
  expect(taken).toMatchObject({ code: 1, err: "" });
  expect(taken.out).toMatch(/^SP5001 {2}listen EADDRINUSE: address already in use 127\.0\.0\.1:\d+\.\n/);
});
