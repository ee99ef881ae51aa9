import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { learn, type ReadContent, recognition, sha1Of } from "../../src/core/known-content.ts";
import { problemsOf } from "../support/lab.ts";

const hexOf = (algorithm: string, text: string) => createHash(algorithm).update(text).digest("hex");

/** Content with the parts of each reading; the last ones are used for all further readings. Counts the readings. */
function contentOf(...readings: readonly (readonly string[])[]) {
  let count = 0;
  const read: ReadContent = (take) => {
    const parts = readings[Math.min(count++, readings.length - 1)] ?? [];
    return take(Readable.from(parts.map((part) => Buffer.from(part))));
  };
  return { read, count: () => count };
}

function isRecognised(sha256: string, ...parts: readonly string[]): boolean {
  const recognised = recognition(sha256);
  for (const part of parts) recognised.add(Buffer.from(part));
  return recognised.isThat();
}

test("content that was read is known by its SHA-256, and recognised however it is divided", async () => {
  const sha256 = await learn(contentOf(["known ", "by its", " tag"]).read);
  expect(sha256).toBe(hexOf("sha256", "known by its tag"));
  expect(isRecognised(sha256, "known by its tag")).toBe(true);
  expect(isRecognised(sha256, "k", "nown by its ta", "g")).toBe(true);
});

test.each([
  ["another byte at its end", ["tagged content 2"]],
  ["another byte at its start", ["Tagged content 1"]],
  ["its parts in another order", ["content 1", "tagged "]],
  ["less", ["tagged content"]],
  ["a zero more", ["tagged content 1\0"]],
  ["nothing", []],
])("content that was read is not recognised with %s", async (_case, parts) => {
  const sha256 = await learn(contentOf(["tagged content 1"]).read);
  expect(isRecognised(sha256, ...parts)).toBe(false);
  expect(isRecognised(sha256, "tagged content 1")).toBe(true);
});

test("empty content is content too", async () => {
  const sha256 = await learn(contentOf([]).read);
  expect(isRecognised(sha256)).toBe(true);
  expect(isRecognised(sha256, "\0")).toBe(false);
});

test("content that this process has not read is recognised by its SHA-256", () => {
  const sha256 = hexOf("sha256", "never read here");
  expect(isRecognised(sha256, "never ", "read here")).toBe(true);
  expect(isRecognised(sha256, "never read there")).toBe(false);
});

test("content is read again for its SHA-1, once, and only on request", async () => {
  const { read, count } = contentOf(["with a ", "SHA-1"]);
  const sha256 = await learn(read);
  expect(count()).toBe(1);
  const both = await Promise.all([sha1Of(sha256), sha1Of(sha256)]);
  expect([...both, await sha1Of(sha256)]).toEqual(Array(3).fill(hexOf("sha1", "with a SHA-1")));
  expect(count()).toBe(2);
});

test("content that has changed, cannot be read again or was never read has no SHA-1", async () => {
  expect(await sha1Of(hexOf("sha256", "not read"))).toBeUndefined();
  const changed = await learn(contentOf(["as it was"], ["as it is!"]).read);
  expect(await problemsOf(sha1Of(changed))).toMatchObject([
    { code: "SP1017", message: expect.stringMatching(/only checksum that the service reports: it has changed/) },
  ]);
  let isGone = false;
  const gone = await learn((take) => {
    if (isGone) throw Object.assign(new Error("/home/somebody"), { code: "ENOENT" });
    return take(Readable.from([Buffer.from("gone")]));
  });
  isGone = true;
  expect(await problemsOf(sha1Of(gone))).toMatchObject([
    { code: "SP1017", message: expect.stringMatching(/reports: there is no such file\.$/) },
  ]);
});
