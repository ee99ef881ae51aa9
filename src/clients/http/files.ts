import { type FileHandle, open, rename, rm, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { blocksOf } from "../../core/file-blocks.ts";
import { recognition } from "../../core/known-content.ts";
import { ProblemError } from "../../core/problem.ts";
import type { FileBody } from "./encode.ts";

/** One block that is being sent, one that is held back, one that is being read, and one to spare. */
const blocksInUse = 4;

/**
 * Opens a file for sending. If a checksum is stated, the last part of the file is sent only after the whole file has
 * matched. Of any other file the service gets only the beginning, which it does not store.
 *
 * With `reuse`, a chunk of the stream is valid until the next one is requested: see `blocksOf`.
 *
 * Throws `ProblemError` SP1017 if the file cannot be read; the stream ends with SP4003 if it is not the stated one.
 */
export async function openFile(body: FileBody, reuse: boolean) {
  const file = await open(body.file).catch(() => undefined);
  const length = await file?.stat().then((found) => (found.isFile() ? found.size : undefined));
  if (file === undefined || length === undefined) {
    await file?.close();
    throw new ProblemError({ code: "SP1017", message: `The file ${body.file} cannot be read.` });
  }
  if (length === 0 && body.sha256 !== undefined) {
    await file.close();
    if (!recognition(body.sha256).isThat()) throw changed(body);
    return { content: Readable.from([]), length };
  }
  return { content: sending(file, body, length, reuse), length };
}

function sending(file: FileHandle, body: FileBody, length: number, reuse: boolean): Readable {
  const { sha256 } = body;
  // With a checksum, data appended meanwhile is not read, since the length has been sent. Without one it fails the request.
  const next = blocksOf(file, {
    end: sha256 === undefined ? undefined : length,
    size: length,
    inUse: reuse ? blocksInUse : undefined,
  });
  const recognised = sha256 === undefined ? undefined : recognition(sha256);
  let held: Buffer | undefined;
  let underWay: Promise<void> = Promise.resolve();

  async function advance(stream: Readable): Promise<void> {
    const block = await next();
    if (recognised === undefined) {
      stream.push(block ?? null);
      return;
    }
    if (block === undefined) {
      if (!recognised.isThat()) throw changed(body);
      if (held !== undefined) stream.push(held);
      stream.push(null);
      return;
    }
    recognised.add(block);
    const before = held;
    held = block;
    if (before === undefined) return advance(stream);
    stream.push(before);
  }

  return new Readable({
    // Nothing is read ahead of what is sent.
    highWaterMark: 0,
    read() {
      underWay = advance(this).catch((error: unknown) => {
        this.destroy(error instanceof Error ? error : new Error(String(error)));
      });
    },
    destroy(error, done) {
      // If the file were closed during a read, its descriptor could already be that of another file.
      underWay.then(() => file.close()).then(() => done(error), done);
    },
  });
}

function changed({ file }: FileBody): ProblemError {
  return new ProblemError({
    code: "SP4003",
    message: `The file ${file} has changed since the plan, so it was not stored.`,
    hint: "Make a new plan and review what changed.",
  });
}

/** Streams a body to a file, which appears under its name when it is complete. Returns its length in bytes. */
export async function writeWhole(body: Readable, to: string): Promise<number> {
  const found = await stat(to).catch(() => undefined);
  const isDevice = found !== undefined && !found.isFile() && !found.isDirectory();
  // A device is written in place: a rename by root would replace `/dev/null` with a file.
  const partial = isDevice || /^\/dev\/(std|fd\/)/.test(to) ? to : `${to}.part`;
  try {
    // Someone else could have made the file or a link there, so it is never written through.
    if (partial !== to) await rm(partial, { force: true });
    const stream = (await open(partial, partial === to ? "w" : "wx")).createWriteStream();
    await pipeline(body, stream);
    if (partial !== to) await rename(partial, to);
    return stream.bytesWritten;
  } catch (error) {
    if (partial !== to) await rm(partial, { force: true });
    if (!(error instanceof Error && "syscall" in error && "path" in error)) throw error;
    throw new ProblemError({ code: "SP1017", message: `The file ${to} cannot be written: ${error.message}.` });
  }
}
