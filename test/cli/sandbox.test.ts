import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sandbox } from "../../src/cli/commands/sandbox.ts";
import { problemsOf } from "../../src/cli/failure.ts";
import { defaultWorld } from "../../src/sandbox/default-world.ts";
import { environmentFor } from "../../src/sandbox/server/environment.ts";
import { serve, setpoint, temporaryFolder } from "../support/commands.ts";
import { roles } from "../support/roles.ts";

test("it starts from --world, logs to --log, keeps to --state and answers until SIGTERM, which ends it with 0", async () => {
  await using folder = await temporaryFolder();
  const within = (name: string) => join(folder.path, name);
  const [world, state, log] = [within("world.json"), within("state"), within("requests.jsonl")];
  await folder.write("world.json", JSON.stringify({ ...defaultWorld(), wiki: { pages: {} } }));
  await using first = await serve(["--world", world, "--state", state, "--log", log]);
  const { url } = first;
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  // The first line is one JSON object with every service's address.
  const services = Object.fromEntries(roles.map((role) => [role, { url: `${url}/${role}` }]));
  expect(first.ready).toEqual({ url, services, environment: environmentFor(url) });

  expect((await first.request("GET", "/wiki/rest/api/content/48213?expand=version")).status).toBe(404);
  const asked = {
    method: "GET",
    path: "/rest/api/content/48213?expand=version",
    service: "wiki",
    operation: "getPage",
    effect: "read",
    status: 404,
  };
  expect(await readFile(log, "utf8")).toBe(`${JSON.stringify(asked)}\n`);
  const permissions = "/hosting/repos/meridian-kites/website/actions/permissions";
  expect((await first.request("PUT", permissions, JSON.stringify({ enabled: false }))).status).toBe(204);
  expect(await first.stop()).toBe(0);

  await using second = await serve(["--state", state, "--port", new URL(url).port]);
  expect(second.url).toBe(url);
  expect(await (await second.request("GET", permissions)).json()).toMatchObject({ enabled: false });

  const taken = await setpoint(["sandbox", "--port", new URL(url).port]);
  expect(taken).toMatchObject({ code: 1, err: "" });
  expect(taken.out).toMatch(/^SP5001 {2}listen EADDRINUSE: address already in use 127\.0\.0\.1:\d+\.\n/);
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

test("a world that is not there is a problem", async () => {
  const opened = sandbox(
    { port: 0, latency: 0, json: true, color: false, world: "/nowhere/world.json" },
    new AbortController().signal,
  );
  const message = "ENOENT: no such file or directory, open '/nowhere/world.json'.";
  expect(problemsOf(await opened.catch((error: unknown) => error))).toEqual([{ code: "SP1017", message }]);
});
