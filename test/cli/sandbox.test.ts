import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sandbox } from "../../src/cli/commands/sandbox.ts";
import { knownProblems } from "../../src/cli/failure.ts";
import { defaultWorld } from "../../src/sandbox/default-world.ts";
import { environmentFor } from "../../src/sandbox/server/environment.ts";
import { ended, serve, setpoint, start, temporaryFolder } from "../support/commands.ts";
import { roles } from "../support/roles.ts";
import { warmScript } from "../support/warm/warm.ts";

test("sandbox starts from --world, logs to --log, keeps its state in --state and runs until SIGTERM, which ends it with 0", async () => {
  await using folder = await temporaryFolder();
  const within = (name: string) => join(folder.path, name);
  const [world, state, log] = [within("world.json"), within("state"), within("requests.jsonl")];
  await folder.write("world.json", JSON.stringify({ ...defaultWorld(), wiki: { pages: {} } }));
  await using first = await serve(["--world", world, "--state", state, "--log", log]);
  const { url } = first;
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  // The first line is one JSON object with the address of every service.
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
  expect(taken.out).toMatch(/^SP5001 {2}Port \d+ is already in use\.\n {2}Hint: --port 0 takes a free one\.\n/);
});

test("the commands that it prints for people work in a shell and show a workspace that is in sync", async () => {
  await using folder = await temporaryFolder();
  const running = start(["sandbox"], { env: { COLUMNS: "80" } });
  onTestFinished(() => void running.kill());
  let said = "";
  for await (const part of running.stdout) {
    said += String(part);
    if (said.includes("Ctrl-C")) break;
  }
  const [url = ""] = /http:\/\/[\d.:]+/.exec(said) ?? [];
  const [netrc = ""] = /(?<=export NETRC=)\S+/.exec(said) ?? [];
  const listed = roles.filter((role) => said.includes(` ${url}/${role}\n`));
  const created = roles.filter((role) => said.includes(`--service ${role}=`));
  expect(listed).toEqual(roles);
  const shown = said.split("\n").filter((line) => !/:\d+\/(?!review|wiki)[a-z]+( \\)?$/.test(line));
  expect(
    shown.join("\n").replaceAll(url, "http://127.0.0.1:40000").replace(netrc, "/tmp/netrc"),
  ).toMatchInlineSnapshot(`
    "The sandbox stands in for a company's services on this machine:

      review     gerrit       http://127.0.0.1:40000/review
      wiki       confluence   http://127.0.0.1:40000/wiki

    On every service, the user admin has the password or token secret. In another
    terminal:

      export NETRC=/tmp/netrc
      setpoint init try --yes --import \\
        --service review=gerrit:http://127.0.0.1:40000/review \\
        --service wiki=confluence:http://127.0.0.1:40000/wiki
      cd try && setpoint plan

    http://127.0.0.1:40000/_sandbox/requests lists the requests. Ctrl-C stops the
    sandbox.
    "
  `);
  expect(said.split("\n").filter((line) => line.length > 80)).toEqual([]);
  expect((await stat(netrc)).mode & 0o777).toBe(0o600);

  const commands = said.split("\n").filter((line) => line.startsWith("  ") && !/^ {2}[a-z]+ {2}/.test(line));
  const script = `setpoint() ( ${await warmScript()}; )\n${commands.join("\n")} && setpoint doctor\n`;
  const env = { PATH: process.env.PATH, XDG_STATE_HOME: folder.path };
  const shell = await ended(spawn("sh", ["-ec", script], { cwd: folder.path, env, stdio: ["ignore", "pipe", "pipe"] }));
  expect(shell).toMatchObject({ code: 0, err: "" });
  expect(shell.out).toMatch(/^Everything is as desired: \d+ resources, \d+ reads\.$/m);
  const examined = new RegExp(`^${created.length} services, \\d+ findings: 0 wrong, 0 unknown\\.$`, "gm");
  expect(shell.out.match(examined)).toHaveLength(2);

  const end = once(running, "close");
  running.kill("SIGTERM");
  await end;
  expect([running.exitCode, existsSync(netrc)]).toEqual([0, false]);
});

test("a world with errors is refused, with the place of each", async () => {
  await using folder = await temporaryFolder();
  await folder.write("world.json", '{\n  "accounts": [],\n  "wikki": {}\n}\n');
  const { code, out, err } = await setpoint(["sandbox", "--world", "world.json"], { cwd: folder.path });
  expect(out).toMatchInlineSnapshot(`
    "world.json:2:15  SP1002  accounts is too short: expected at least 1 entry.
    world.json:3:12  SP1004  The world has no field "wikki".
    "
  `);
  expect({ code, err }).toEqual({ code: 1, err: "" });
});

test.each([
  ["world", "/nowhere/world.json", "there is no such file"],
  ["log", "/nowhere/world.json", "there is no such file"],
  ["world", import.meta.dirname, "it is a folder"],
])("a file of --%s that does not exist or cannot be used is a problem: %s", async (option, path, why) => {
  const opened = sandbox({ port: 0, latency: 0, json: true, color: false, [option]: path }, AbortSignal.abort());
  const message = `${path} cannot be used: ${why}.`;
  expect(knownProblems(await opened.catch((error: unknown) => error))).toEqual([{ code: "SP1017", message }]);
});

test("a folder of --state that can never be created is a problem and is not retried forever", async () => {
  const options = { port: 0, latency: 0, json: true, color: false, state: "/proc/nowhere/state" };
  const error = await sandbox(options, AbortSignal.abort()).catch((caught: unknown) => caught);
  expect(knownProblems(error)).toMatchObject([{ code: "SP1017", message: expect.stringContaining("cannot be kept") }]);
});
