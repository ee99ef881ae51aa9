import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { openConnection } from "../../../src/clients/connect.ts";
import { lineReader } from "../../../src/clients/http/answer.ts";
import { mockHttp } from "../../support/http-mock.ts";
import { problemOf, serviceOf, testClock, tokenCredentials } from "../fixtures.ts";

const mock = mockHttp();
const mebibyte = 1024 * 1024;
const origin = "https://analysis.example.com";

/** A record of one mebibyte, most of which no client needs. */
const largeRecord = Buffer.from(`${JSON.stringify({ id: 1, name: "a", more: "x".repeat(mebibyte) })}\n`);

const head = { status: 200, headers: {} };

/** A body that is generated while it is read, with the number of chunks read so far. */
function bodyOf(chunks: Iterable<Buffer>) {
  const counted = { pulled: 0, chunks: counting() };
  async function* counting() {
    for (const chunk of chunks) {
      counted.pulled += 1;
      yield chunk;
    }
  }
  return counted;
}

function* repeated(chunk: Buffer, times: number, end = ""): Generator<Buffer> {
  for (let n = 0; n < times; n++) yield chunk;
  yield Buffer.from(end);
}

function projects(chunks: Iterable<Buffer> | AsyncIterable<Buffer>) {
  mock(origin)
    .post("/review/api")
    .reply(200, () => Readable.from(chunks));
  const service = serviceOf("analysis", { limits: { concurrency: 1, timeout: 120_000, attempts: 1 } });
  return openConnection(service, { mode: "read", credentials: tokenCredentials, clock: testClock() }).call(
    "projects",
    {},
  );
}

describe("a list with one object per line", () => {
  test("is decoded as it arrives, even if it is larger than the limit for answers read as a whole", async () => {
    const body = bodyOf(repeated(largeRecord, 65));
    expect(await projects(body.chunks)).toMatchObject(Array(65).fill({ id: 1, name: "a" }));
    expect(body.pulled).toBe(66);
  });

  test("that ends in an error, however late, is refused", async () => {
    const error = '{"status":403,"message":"The session ended."}';
    const record = Buffer.from('{"id":1,"name":"a"}\n');
    expect(await problemOf(projects(repeated(record, 1000, error)))).toMatchObject({
      code: "SP3004",
      message: expect.stringContaining("The session ended."),
    });
  });

  test("is decoded line by line: the next chunk is read only after all complete lines are decoded", async () => {
    const body = bodyOf(['{"n":1}\n', '{"n":', '2}\n{"n":3}', "\n", '{"n":4}'].map((text) => Buffer.from(text)));
    const seen: [number, number][] = [];
    const entry = z.object({ n: z.int() }).transform(({ n }) => seen.push([n, body.pulled]));
    const answer = await lineReader(z.array(entry))(head, body.chunks);
    expect(seen).toEqual([
      [1, 1],
      [2, 3],
      [3, 4],
      [4, 5],
    ]);
    expect(answer.body.toString()).toBe('{"n":4}');
  });

  test("with an endless line is refused, so the buffer is bounded", async () => {
    const body = bodyOf(repeated(Buffer.alloc(mebibyte, "x"), Number.POSITIVE_INFINITY));
    expect(await problemOf(lineReader(z.unknown())(head, body.chunks))).toMatchObject({
      code: "SP3103",
      message: expect.stringContaining("16 MiB"),
    });
    expect(body.pulled).toBe(17);
  });

  test("that is a page or error above 64 MiB instead is not read to its end", async () => {
    for (const other of [
      { status: 200, headers: { "content-type": "text/html" } },
      { status: 500, headers: {} },
    ]) {
      const body = bodyOf(repeated(Buffer.alloc(mebibyte, "x"), 70));
      const said = await lineReader(z.unknown())(other, body.chunks).then(() => "whole", String);
      expect([said, body.pulled]).toEqual(["Error: The answer is too large.", 65]);
    }
  });

  test.each([
    ["a line that is cut off in the middle", '{"id":1,"name":"a"}\n{"id":2,"na\n{"id":3,"name":"c"}', "cut off"],
    ["a line that is no JSON", '{"id":1,"name":"a"}\n<p>Bad Gateway</p>', "not JSON"],
    ["other bytes", Buffer.from([...Buffer.from('{"id":1,"name":"a"}\n{"id":2,"name":"'), 0xff]), "other bytes"],
    [
      "records of another form, by their places",
      '{"id":1,"name":"a"}\n\n{"id":2}\n{"name":"c"}',
      '[1] needs "name"; [2] needs "id"',
    ],
  ])("with %s is refused", async (_what, text, said) => {
    const found = await problemOf(projects([Buffer.from(text)]));
    expect(found).toMatchObject({ code: "SP3103", message: expect.stringContaining(said) });
  });

  test("counts every record when it reports those of another form", async () => {
    const { message } = await problemOf(projects([Buffer.from('{"id":1}\n{"id":1,"name":"b"}\n{"name":"c"}')]));
    expect(message).toMatch(/\[0\] needs "name"; \[2\] needs "id"/);
  });

  test.each([
    ["a page", "<!doctype html>\n<html><body>Welcome</body></html>", "SP3103", "HTML"],
    ["a login page", '<html>\n<form><input type="password"></form></html>', "SP3003", "login page"],
    [
      "an error over several lines",
      '{\n"status": 404,\n"message": "No such project."\n}',
      "SP3005",
      "No such project.",
    ],
    ["text", "Service is starting\nPlease wait", "SP3103", "not JSON"],
    ["a part of a line", '{"id":1,"na', "SP3103", "cut off"],
  ])("is not accepted if %s came instead", async (_what, text, code, said) => {
    const found = await problemOf(projects([Buffer.from(text.slice(0, 7)), Buffer.from(text.slice(7))]));
    expect(found).toMatchObject({ code, message: expect.stringContaining(said) });
  });

  test("is empty only if the service says so: 204 or 205, as a gateway answers, is not a list", async () => {
    const answer = (status: number) => lineReader(z.unknown())({ status, headers: {} }, bodyOf([]).chunks);
    expect((await answer(200)).decoded?.()).toEqual([]);
    expect([(await answer(204)).decoded, (await answer(205)).decoded]).toEqual([undefined, undefined]);
    mock(origin).post("/review/api").reply(204);
    const { call } = openConnection(serviceOf("analysis"), {
      mode: "read",
      credentials: tokenCredentials,
      clock: testClock(),
    });
    expect(await problemOf(call("groups", {}))).toMatchObject({ code: "SP3103" });
  });

  test("that is partial content, or labelled HTML, is refused", async () => {
    const answer = (status: number, type: string) => {
      mock(origin).post("/review/api").reply(status, '{"id":1,"name":"a"}\n', { "content-type": type });
      return openConnection(serviceOf("analysis"), {
        mode: "read",
        credentials: tokenCredentials,
        clock: testClock(),
      }).call("projects", {});
    };
    expect((await problemOf(answer(206, "application/json"))).code).toBe("SP3104");
    expect((await problemOf(answer(200, "text/html"))).code).toBe("SP3103");
  });
});
