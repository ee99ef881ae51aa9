import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test, vi } from "vitest";
import { progressLine, progressLines } from "../../src/cli/terminal/progress.ts";
import type { RequestEvent } from "../../src/clients/http/request-events.ts";
import { activityAfter, quiet } from "../../src/engine/activity.ts";
import type { Progress, ServiceProgress } from "../../src/setpoint.ts";
import { type Desk, hasTerminals, listen, openDesk, workflows, workspaceText } from "../support/commands.ts";
import { program } from "../support/program.ts";

const since = 1_000_000;
const screen = { width: 80, height: 24 };

function reading(services: Readonly<Record<string, Partial<ServiceProgress>>>): Progress {
  return {
    step: "reading",
    requests: new Map(Object.entries(services).map(([name, state]) => [name, { ...quiet, ...state }])),
  };
}

test("progress is one line per service: what is done, what is under way, what it waits for and the time left", () => {
  const progress = reading({
    review: { reads: 20, inFlight: 3, work: { done: 12, total: 36, since } },
    wiki: { reads: 2, waiting: 1, waitingUntil: since + 16_000, isLimited: true, work: { done: 2, total: 9, since } },
    analysis: { reads: 1, waiting: 1, waitingUntil: since + 4_500 },
    hosting: { reads: 1, inFlight: 1 },
  });
  expect(progressLines(progress, screen, since + 4_000)).toEqual([
    "review    12 of 36 read  3 in flight  about 8 s left",
    "wiki      2 of 9 read                 limit reached, continues in 12 s",
    "analysis  1 request                   request failed, retries in 1 s",
    "hosting   1 request      1 in flight",
  ]);
});

test("an apply counts the calls of each service", () => {
  const calls = { writes: 2, inFlight: 1, work: { done: 2, total: 5, since } };
  const progress: Progress = { step: "applying", calls: 5, requests: new Map([["wiki", { ...quiet, ...calls }]]) };
  expect(progressLines(progress, screen, since)).toEqual(["wiki  2 of 5 calls  1 in flight"]);
  const one = new Map([["wiki", { ...quiet, work: { done: 0, total: 1, since } }]]);
  expect(progressLines({ step: "applying", calls: 1, requests: one }, screen, since)).toEqual(["wiki  0 of 1 call"]);
});

test("a service that no worker reads is shown as such, and elsewhere than on a terminal said once", () => {
  const progress = reading({
    review: { work: { done: 0, total: 4, since, lacksWorker: true } },
    wiki: { inFlight: 1, work: { done: 0, total: 1, since } },
  });
  expect(progressLines(progress, screen, since)).toEqual([
    "review  0 of 4 read               no worker yet: start setpoint worker",
    "wiki    0 of 1 read  1 in flight",
  ]);
  const said: string[] = [];
  const written = vi.spyOn(process.stderr, "write").mockImplementation((text) => said.push(String(text)) > 0);
  vi.stubEnv("CI", "1");
  onTestFinished(() => {
    written.mockRestore();
    vi.unstubAllEnvs();
  });
  for (const options of [{ quiet: true }, { log: "json" }, {}] as const) {
    const { show } = progressLine(options);
    show(progress);
    show(progress);
  }
  expect(said.join("").replace(/\s+/g, " ").trim()).toBe(
    "No worker takes jobs of review yet: start setpoint worker with its credentials. After a minute without one, the service is unknown.",
  );
});

test("no time left is shown before enough has been measured, nor at the end", () => {
  const lineAfter = (elapsed: number, done: number) =>
    progressLines(reading({ wiki: { work: { done, total: 100, since } } }), screen, since + elapsed)[0];
  expect(lineAfter(1_900, 50)).toBe("wiki  50 of 100 read");
  expect(lineAfter(60_000, 2)).toBe("wiki  2 of 100 read");
  expect(lineAfter(60_000, 100)).toBe("wiki  100 of 100 read");
  expect(lineAfter(60_000, 20)).toContain("about 4 min 0 s left");
});

test("progress never takes more lines or columns than the terminal has", () => {
  const many = reading(
    Object.fromEntries(Array.from({ length: 9 }, (_none, index) => [`service-with-a-long-name-${index}`, {}])),
  );
  const lines = progressLines(many, { width: 30, height: 5 }, since);
  expect(lines).toHaveLength(4);
  expect(lines.at(-1)).toBe("… and 6 more");
  expect(Math.max(...lines.map(({ length }) => length))).toBe(29);
});

test("the activity of a service follows from the events of its requests", () => {
  const about = {
    service: "wiki",
    request: { operation: "getPage", effect: "read", method: "GET", path: "/x", query: [] },
  } as const;
  const ended = { ...about, is: "ended", attempt: 1, milliseconds: 5 } as const;
  const events: readonly RequestEvent[] = [
    { ...about, is: "sent", attempt: 1 },
    { ...about, is: "sent", attempt: 1 },
    { ...ended, result: "failed", status: 429 },
    { ...about, is: "waiting", until: 900, limit: true },
    { ...ended, result: "lost" },
    { ...about, is: "waiting", until: 400, limit: false },
  ];
  const before = events.reduce(activityAfter, quiet);
  expect(before).toEqual({ reads: 2, writes: 0, inFlight: 0, waiting: 2, waitingUntil: 900, isLimited: true });
  const resumed: RequestEvent = { ...about, is: "resumed" };
  expect(activityAfter(before, resumed)).toMatchObject({ waiting: 1, waitingUntil: 900 });
  expect([resumed, resumed].reduce(activityAfter, before)).toMatchObject({ waiting: 0, isLimited: false });
  expect([resumed, resumed].reduce(activityAfter, before).waitingUntil).toBeUndefined();
  // A request that was not sent does not count.
  expect(activityAfter(quiet, { ...ended, result: "refused" }).reads).toBe(0);
});

test.skipIf(!hasTerminals)(
  "a terminal shows progress while a service is being read, and erases it afterwards (needs script)",
  async () => {
    await using desk = await openDesk(workflows("website", false));
    await using silent = await listen(() => {});
    await desk.write("setpoint.yaml", workspaceText(silent.url));
    const run = terminal(desk, silent.url, ["plan"]);
    const drawn = await run.until("hosting  0 of 1 read  1 in flight");
    expect(drawn).not.toContain("\u001b[?25l");
    run.interrupt();
    const rest = await run.end;
    // Progress is erased before anything else is printed.
    expect(rest.slice(0, rest.indexOf("SP5003"))).toContain("\u001b[2K");
    expect(rest.slice(rest.indexOf("SP5003"))).not.toContain("in flight");
  },
);

test.skipIf(!hasTerminals)(
  "doctor shows progress too, because a service can take long to answer (needs script)",
  async () => {
    await using desk = await openDesk(workflows("website", false));
    await using silent = await listen(() => {});
    await desk.write("setpoint.yaml", workspaceText(silent.url));
    const run = terminal(desk, silent.url, ["doctor"]);
    await run.until(" in flight");
    run.interrupt();
    await run.end;
  },
);

test.skipIf(!hasTerminals).each([["--quiet"], ["--log", "text"]])(
  "with %s a terminal shows no progress (needs script)",
  async (...words) => {
    await using desk = await openDesk(workflows("website", false));
    const asked = Promise.withResolvers<void>();
    await using silent = await listen(() => asked.resolve());
    await desk.write("setpoint.yaml", workspaceText(silent.url));
    const run = terminal(desk, silent.url, ["plan", ...words]);
    await asked.promise;
    run.interrupt();
    expect(await run.end).not.toContain("in flight");
  },
);

/** Runs a command on a terminal of 80 columns. */
function terminal(desk: Desk, url: string, args: readonly string[]) {
  const command = ["exec", process.execPath, program, ...args].join(" ");
  const env = Object.entries(desk.env).map(([name, value]) => [name, value.replace(desk.sandbox.url, url)] as const);
  const script = spawn("script", ["-qec", `stty cols 80 rows 24; ${command}`, "/dev/null"], {
    cwd: desk.path,
    env: { PATH: process.env.PATH, TERM: "xterm", NO_COLOR: "1", ...Object.fromEntries(env) },
    stdio: ["pipe", "pipe", "ignore"],
  });
  onTestFinished(() => void script.kill("SIGKILL"));
  let said = "";
  script.stdout.setEncoding("utf8").on("data", (part: string) => {
    said += part;
  });
  const end = once(script, "close").then(() => said);
  return {
    async until(words: string): Promise<string> {
      while (!said.includes(words)) await once(script.stdout, "data");
      const before = said;
      said = "";
      return before;
    },
    /** Types Ctrl-C. */
    interrupt: () => script.stdin.write("\u0003"),
    end,
  };
}
