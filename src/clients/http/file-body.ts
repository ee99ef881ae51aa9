import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { Readable } from "node:stream";
import { ProblemError } from "../../core/problem.ts";
import type { FileBody } from "./encode.ts";

/**
 * Opens a file for sending; `length` is in bytes. Where a checksum is stated the last part of the file leaves only when
 * all of it was seen to have it: of another file the service gets no more than the beginning, which it does not store.
 *
 * Throws `ProblemError` SP1017 where it cannot be read; the stream ends with SP4003 where it is another file.
 */
export async function openFile(body: FileBody): Promise<{ readonly content: Readable; readonly length: number }> {
  const file = await open(body.file).catch(() => undefined);
  const length = await file?.stat().then((found) => (found.isFile() ? found.size : undefined));
  if (file === undefined || length === undefined) {
    await file?.close();
    throw new ProblemError({ code: "SP1017", message: `The file ${body.file} cannot be read.` });
  }
  if (body.sha256 === undefined) return { content: file.createReadStream(), length };
  if (length === 0) {
    await file.close();
    requireChecksum(body, createHash("sha256").digest("hex"));
    return { content: Readable.from([]), length };
  }
  // What is appended meanwhile is not read: the length is told before.
  return { content: Readable.from(checked(file.createReadStream({ end: length - 1 }), body)), length };
}

async function* checked(bytes: AsyncIterable<Buffer>, body: FileBody): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  let held: Buffer | undefined;
  for await (const chunk of bytes) {
    hash.update(chunk);
    if (held !== undefined) yield held;
    held = chunk;
  }
  requireChecksum(body, hash.digest("hex"));
  if (held !== undefined) yield held;
}

function requireChecksum({ file, sha256 }: FileBody, found: string): void {
  if (found === sha256) return;
  throw new ProblemError({
    code: "SP4003",
    message: `The file ${file} is not any more as the plan saw it, so it was not stored.`,
    hint: "Plan again, and look at what changed.",
  });
}
