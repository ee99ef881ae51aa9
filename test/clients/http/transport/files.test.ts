import { createHash } from "node:crypto";
import { closeSync, mkdtempSync, openSync, readdirSync, readlinkSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { Dispatcher } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { learn } from "../../../../src/core/known-content.ts";
import { problemOf, serveLoopback } from "../../fixtures.ts";
import { open, write } from "./open.ts";

/** The size of one read. */
const block = 2 * 1024 * 1024;

/** A file of which no two blocks are the same. */
function fileOf(bytes: number) {
  const folder = mkdtempSync(join(tmpdir(), "setpoint-body-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "app.jar");
  const words = new Uint32Array(bytes / 4);
  // Not `Uint32Array.from`, which takes a second for so many.
  for (let at = 0; at < words.length; at++) words[at] = at * 2_654_435_761;
  const content = Buffer.from(words.buffer);
  writeFileSync(file, content);
  return { content, body: { file, sha256: createHash("sha256").update(content).digest("hex") } };
}

/** Additional bytes that give each test of a proof its own content, since content that was read once stays known. */
const sizes = { tag: 0, checksum: 4, none: 8 };

/** How a file is proven to be the intended one. */
type Proof = "tag" | "checksum";

/** The body of a file with a stated checksum; with a tag if this process has already read it. */
async function statedBody(bytes: number, proof: Proof) {
  const { content, body } = fileOf(bytes);
  if (proof === "tag") await learn((take) => take(Readable.from([content])));
  return { content, body };
}

test.each([
  ["with the tag of what was read before", "tag"],
  ["with a checksum", "checksum"],
  ["without a checksum", undefined],
] as const)("a file of many blocks arrives unchanged, %s", async (_case, proof) => {
  const { content, body } = await statedBody(6 * block + sizes[proof ?? "none"], proof ?? "checksum");
  const arrived = createHash("sha256");
  const url = await serveLoopback((request, response) => {
    // Reads more slowly than the sender writes, so that blocks queue up.
    request.on("data", (chunk: Buffer) => {
      arrived.update(chunk);
      request.pause();
      setImmediate(() => request.resume());
    });
    request.on("end", () => response.end());
  });
  const sent = await open(url).send({ ...write, body: proof === undefined ? { file: body.file } : body });
  expect(sent).toMatchObject({ is: "answered" });
  expect(arrived.digest("hex")).toBe(createHash("sha256").update(content).digest("hex"));
});

test("a block of a file that a foreign dispatcher keeps is not overwritten", async () => {
  const { content, body } = fileOf(6 * block);
  const kept: Buffer[] = [];
  class Keeper extends Dispatcher {
    override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
      const { body: stream } = options;
      if (!(stream instanceof Readable)) throw new Error("no stream");
      stream.on("data", (chunk: Buffer) => kept.push(chunk));
      stream.on("end", () => handler.onResponseError?.({ ...controller }, new Error("kept")));
      return true;
    }
  }
  const controller = {
    aborted: false,
    paused: false,
    reason: null,
    abort: () => {},
    pause: () => {},
    resume: () => {},
  };
  await open("http://h.example.com", { dispatcher: new Keeper() }).send({ ...write, body });
  expect(Buffer.concat(kept).equals(content)).toBe(true);
});

test.each(["tag", "checksum"] as const)("a file that became shorter is not stored, thanks to its %s", async (proof) => {
  const { content, body } = await statedBody(block + sizes[proof], proof);
  let arrived = 0;
  const url = await serveLoopback((request, response) => {
    request.on("data", (chunk: Buffer) => {
      arrived += chunk.length;
    });
    request.on("end", () => response.end());
    request.on("error", () => {});
  });
  const transport = open(url);
  const isSent = transport.send({ ...write, body });
  writeFileSync(body.file, content.subarray(0, 10));
  expect(await problemOf(isSent)).toMatchObject({ code: "SP4003" });
  expect(arrived).toBe(0);
});

test.each(["tag", "checksum"] as const)(
  "a file that changes while it is sent is not stored, thanks to its %s",
  async (proof) => {
    const { content, body } = await statedBody(6 * block + sizes[proof], proof);
    let arrived = 0;
    const url = await serveLoopback((request, response) => {
      request.once("data", () => {
        // Beyond the block being sent and those queued: only the last byte changes, so the size stays.
        const file = openSync(body.file, "r+");
        writeSync(file, Buffer.of(1), 0, 1, content.length - 1);
        closeSync(file);
      });
      request.on("data", (chunk: Buffer) => {
        arrived += chunk.length;
      });
      request.on("end", () => response.end());
      request.on("error", () => {});
    });
    expect(await problemOf(open(url).send({ ...write, body }))).toMatchObject({ code: "SP4003" });
    expect(arrived).toBeLessThan(content.length);
  },
);

test.runIf(process.platform === "linux").each([
  ["before it is sent", "unsent"],
  ["while it is sent", "lost"],
])("a file is closed if its request ends %s", async (_case, is) => {
  const { body } = fileOf(6 * block);
  const url = await serveLoopback((request) => request.once("data", () => request.socket.destroy()));
  const target = is === "unsent" ? url.replace(/\d+$/, "1") : url;
  expect(await open(target).send({ ...write, body })).toMatchObject({ is });
  await expect.poll(() => openFiles().filter((path) => path === body.file)).toEqual([]);
});

/** The files that this process has open. A descriptor might be closed while they are listed. */
function openFiles(): readonly string[] {
  return readdirSync("/proc/self/fd").flatMap((name) => {
    try {
      return [readlinkSync(join("/proc/self/fd", name))];
    } catch {
      return [];
    }
  });
}
