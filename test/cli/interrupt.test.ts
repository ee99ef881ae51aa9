import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { runGuide } from "../../src/core/guide/runs.ts";
import { journalLines } from "../../src/engine/journal/journal.ts";
import { listenOnLoopback } from "../clients/fixtures.ts";
import { type Desk, ended, listen, openDesk, setpoint, start, workspaceText } from "../support/commands.ts";

const groups = (count: number) =>
  Array.from({ length: count }, (_none, index) => `---\nkind: AnalysisGroup\nspec: { name: group-${index} }\n`).join(
    "",
  );

/** The entries of the only journal. */
function journalOf(desk: Desk) {
  const folder = join(desk.path, ".setpoint/runs");
  const [name = ""] = readdirSync(folder);
  return journalLines(readFileSync(join(folder, name), "utf8"));
}

function eventsOf(desk: Desk): readonly string[] {
  const { entries, torn, damaged } = journalOf(desk);
  expect({ torn, damaged }).toEqual({ torn: false, damaged: [] });
  return entries.flatMap((entry) => (entry instanceof Object && "event" in entry ? [String(entry.event)] : []));
}

/** Passes requests on to a sandbox. A request that creates a group is held until `answer` is called. */
async function holding(desk: Desk) {
  const held = Promise.withResolvers<() => Promise<void>>();
  const forward = async (request: IncomingMessage, body: Buffer<ArrayBuffer>, response: ServerResponse) => {
    const { authorization = "", "content-type": type = "" } = request.headers;
    const answer = await fetch(`${desk.sandbox.url}${request.url}`, {
      method: request.method ?? "GET",
      headers: { authorization, "content-type": type },
      ...(body.length === 0 ? {} : { body }),
    });
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
    response.end(await answer.text());
  };
  const proxy = await listen(async (request, response) => {
    const body = Buffer.from(await buffer(request));
    if (body.includes("create_group")) held.resolve(() => forward(request, body, response));
    else await forward(request, body, response);
  });
  await desk.write("setpoint.yaml", workspaceText(proxy.url));
  const env = Object.fromEntries(
    Object.entries(desk.env).map(([name, value]) => [name, value.replace(desk.sandbox.url, proxy.url)]),
  );
  const command = start(["apply", "--yes"], { cwd: desk.path, env });
  onTestFinished(() => {
    command.kill("SIGKILL");
  });
  const end = ended(command);
  const said = once(command.stderr, "data").then(String);
  return { answer: await held.promise, command, said, end, [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose]() };
}

test("a first interrupt lets the call under way end, verifies and reports it, and sends nothing new", async () => {
  await using desk = await openDesk(groups(3));
  await using run = await holding(desk);
  run.command.kill("SIGTERM");
  expect(await run.said).toBe("Finishing 1 call under way; press Ctrl-C again to stop now.\n");
  await run.answer();
  const { code, out } = await run.end;
  expect(out).toContain("1 applied, 0 failed, 2 skipped.");
  expect(out).toContain("SP5003");
  expect(code).toBe(3);
  expect(runGuide.SP5003.exit).toContain(`${code} if an apply left changes out`);
  const made = desk.sandbox.state().analysis.groups.map(({ name }) => name);
  expect(made.filter((name) => name.startsWith("group-"))).toEqual(["group-0"]);
  expect(eventsOf(desk).filter((event) => event !== "before")).toEqual([
    "start",
    "intent",
    "outcome",
    "outcome",
    "outcome",
    "end",
  ]);
});

test("a terminal that goes away counts as a first interrupt, however often the signal comes", async () => {
  await using desk = await openDesk(groups(3));
  await using run = await holding(desk);
  run.command.kill("SIGHUP");
  expect(await run.said).toContain("Finishing 1 call");
  run.command.kill("SIGHUP");
  await run.answer();
  const { code, out } = await run.end;
  expect(out).toContain("1 applied, 0 failed, 2 skipped.");
  expect(code).toBe(3);
  expect(eventsOf(desk).at(-1)).toBe("end");
});

test("a second interrupt stops immediately, and the journal records the state of the call under way", async () => {
  await using desk = await openDesk(groups(3));
  await using run = await holding(desk);
  run.command.kill("SIGINT");
  expect(await run.said).toContain("Finishing 1 call");
  run.command.kill("SIGTERM");
  const { code, out } = await run.end;
  expect(code).toBe(130);
  expect(out).toContain("0 applied, 0 failed, 2 skipped, 1 unknown.");
  expect(JSON.stringify(journalOf(desk).entries)).toContain('"outcome":{"id":1,"result":"lost"');
});

/** Plans against a server, and interrupts the plan once the server has `asked`. */
async function interruptedPlan(desk: Desk, url: string, asked: Promise<void>) {
  await desk.write("setpoint.yaml", workspaceText(url));
  const env = Object.fromEntries(
    Object.entries(desk.env).map(([name, value]) => [name, value.replace(desk.sandbox.url, url)]),
  );
  const command = start(["plan"], { cwd: desk.path, env });
  onTestFinished(() => {
    command.kill("SIGKILL");
  });
  const end = ended(command);
  await asked;
  command.kill("SIGINT");
  return end;
}

test("an interrupt ends a plan immediately", async () => {
  await using desk = await openDesk(groups(1));
  const asked = Promise.withResolvers<void>();
  await using silent = await listen(() => asked.resolve());
  const { code, out } = await interruptedPlan(desk, silent.url, asked.promise);
  expect({ code, out }).toEqual({ code: 1, out: expect.stringContaining("SP5003") });
});

test("an interrupt ends a plan immediately while a connection is being made", async () => {
  await using desk = await openDesk(groups(1));
  const asked = Promise.withResolvers<void>();
  // Accepts connections, but says nothing of TLS.
  const url = await listenOnLoopback(createServer(() => asked.resolve()));
  const { code, out } = await interruptedPlan(desk, url.replace("http:", "https:"), asked.promise);
  expect({ code, out }).toEqual({ code: 1, out: expect.stringContaining("SP5003") });
});

test("an apply whose disk fills up halfway sends nothing more, reports what was done, and fails", async () => {
  await using desk = await openDesk(groups(40));
  const { code, out } = await setpoint(["apply", "--yes"], {
    cwd: desk.path,
    // Files of at most 40 blocks of 512 bytes: apart from its name, the system's error is that of a full disk.
    env: { ...desk.env, NODE_COMPILE_CACHE: undefined },
    within: ["sh", "-c", 'ulimit -f 40; exec "$@"', "sh"],
  });
  expect(out.replaceAll(/\s+/g, " ")).toMatch(/SP5004 The journal \S+ cannot be written: EFBIG/);
  expect(code).toBe(1);
  const made = desk.sandbox.state().analysis.groups.filter(({ name }) => name.startsWith("group-"));
  expect(made.length).toBeGreaterThan(0);
  expect(made.length).toBeLessThan(40);
  expect(out).toContain(`${made.length} applied, 0 failed, ${40 - made.length} skipped.`);
  expect(eventsOf(desk)).not.toContain("end");
});
