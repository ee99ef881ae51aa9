import { type FileHandle, open, rename, rm, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { blocksOf } from "../../core/file-blocks.ts";
import { recognition } from "../../core/known-content.ts";
import { ProblemError } from "../../core/problem.ts";
import type { FileBody } from "./encode.ts";

/** One block that is sent, one that is held back and one that is read, and one to spare. */
const blocksInUse = 4;

/** A body for sending. `length` is in bytes. */
export interface OpenBody {
  readonly content: Readable;
  readonly length: number;
}

/**
 * Opens a file for sending. Where a checksum is stated the last part of the file leaves only when
 * the whole file has matched: of any other file the service gets only the beginning, which it does not store.
 *
 * With `reuse` what the stream gives is valid until it asks for more: see `blocksOf`.
 *
 * Throws `ProblemError` SP1017 if it cannot be read; the stream ends with SP4003 if it is another file.
 */
export async function openFile(body: FileBody, reuse: boolean): Promise<OpenBody> {
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
  // What is appended meanwhile is not read: the length was sent before. Without a checksum it fails the request.
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
      // Closed under a read, its number may be that of another file by then.
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

/** Streams a body to a file, which appears under its name when it is whole. Returns its length in bytes. */
export async function writeWhole(body: Readable, to: string): Promise<number> {
  const found = await stat(to).catch(() => undefined);
  const isDevice = found !== undefined && !found.isFile() && !found.isDirectory();
  // A device stays what it is: root could put a file in the place of `/dev/null`.
  const partial = isDevice || /^\/dev\/(std|fd\/)/.test(to) ? to : `${to}.part`;
  try {
    const stream = (await open(partial, "w")).createWriteStream();
    await pipeline(body, stream);
    if (partial !== to) await rename(partial, to);
    return stream.bytesWritten;
  } catch (error) {
    if (partial !== to) await rm(partial, { force: true });
    if (!(error instanceof Error && "syscall" in error && "path" in error)) throw error;
    throw new ProblemError({ code: "SP1017", message: `The file ${to} cannot be written: ${error.message}.` });
  }
}
