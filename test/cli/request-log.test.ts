import { expect, test } from "vitest";
import { droppedLine, requestLine } from "../../src/cli/terminal/request-log.ts";
import type { RequestEvent } from "../../src/clients/http/request-events.ts";
import { openDesk, workflows } from "../support/commands.ts";
import { openDirectLab } from "../support/lab.ts";

const now = Date.parse("2027-01-13T18:04:00Z");
const request = { operation: "getPage", effect: "read", method: "GET", path: "/content/1", query: ["expand"] } as const;
const ended: RequestEvent = {
  service: "wiki",
  request,
  is: "ended",
  attempt: 2,
  result: "failed",
  status: 503,
  milliseconds: 12,
};

test("a line of the log has the service, the request and its result, but no value of a query", () => {
  expect(requestLine(ended, "text", now)).toBe(
    "2027-01-13T18:04:00.000Z  wiki.getPage  GET /content/1?expand  503  12 ms  attempt 2",
  );
  expect(JSON.parse(requestLine(ended, "json", now) ?? "")).toEqual({
    time: "2027-01-13T18:04:00.000Z",
    service: "wiki",
    operation: "getPage",
    method: "GET",
    path: "/content/1",
    query: ["expand"],
    status: 503,
    result: "failed",
    milliseconds: 12,
    attempt: 2,
  });
  const waiting: RequestEvent = { service: "wiki", request, is: "waiting", until: now + 5000, limit: true };
  expect(requestLine(waiting, "text", now)).toContain("limit reached, continues at 2027-01-13T18:04:05.000Z");
  expect(requestLine({ ...waiting, limit: false }, "text", now)).toMatch(
    / {2}failed, retries at 2027-01-13T18:04:05\.000Z$/,
  );
  expect(requestLine({ service: "wiki", request, is: "sent", attempt: 1 }, "json", now)).toBeUndefined();
});

test("a line of the log counts kept answers that no longer fit", () => {
  expect(droppedLine("hosting", 12, "text", now)).toBe(
    "2027-01-13T18:04:00.000Z  hosting  12 kept answers dropped for lack of room",
  );
  expect(JSON.parse(droppedLine("hosting", 1, "json", now))).toEqual({
    time: "2027-01-13T18:04:00.000Z",
    service: "hosting",
    answersDropped: 1,
  });
});

test("nothing that a runner or a terminal would interpret gets into the log", () => {
  const hostile: RequestEvent = { ...ended, request: { ...request, path: "/\u001b[2J##vso[task.setvariable]\n::x::" } };
  for (const form of ["text", "json"] as const) {
    const line = requestLine(hostile, form, now) ?? "";
    for (const obeyed of ["\u001b", "\n", "##vso"]) expect(line).not.toContain(obeyed);
  }
});

test("--log json writes one line per request to standard error and leaves the output as it is", async () => {
  await using desk = await openDesk(workflows("website", false));
  const plain = await desk.run(["plan", "--json"]);
  desk.sandbox.clear();
  const { code, out, err } = await desk.run(["plan", "--json", "--log", "json"]);
  const untimed = (text: string) => text.replaceAll(/"at": "[^"]+"/g, "");
  expect({ code, out: untimed(out) }).toEqual({ code: plain.code, out: untimed(plain.out) });
  const lines = err
    .trimEnd()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
  expect(lines).toEqual(
    desk.sandbox
      .requests()
      .map(({ operation, method }) =>
        expect.objectContaining({ service: "hosting", operation, method, status: 200, result: "answered", attempt: 1 }),
      ),
  );
});

test("progress reports how many of the objects are read, and what is under way", async () => {
  await using lab = await openDirectLab();
  const seen: string[] = [];
  await lab
    .another({
      onProgress: ({ requests }) => {
        const { work, inFlight = 0, reads = 0 } = requests.get("hosting") ?? {};
        seen.push(`${work?.done ?? "?"}/${work?.total ?? "?"} ${inFlight} ${reads}`);
      },
    })
    .plan(workflows("website", false));
  expect(seen).toContain("0/1 1 0");
  expect(seen.at(-1)).toBe("1/1 0 1");
});
