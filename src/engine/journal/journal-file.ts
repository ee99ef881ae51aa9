import { ProblemError } from "../../core/problem.ts";
import { messageOf } from "../../core/text/reason.ts";
import { lineMaker } from "./checksum.ts";
import type { Journal, JournalEntry } from "./journal.ts";

/** A file as a journal uses it. */
export interface JournalFile {
  readonly path: string;
  /** Appends bytes, and returns how many were written: on a disk that fills up, first some of them, then none. */
  write(bytes: Uint8Array): Promise<number>;
  /** Resolves once everything written is on disk. */
  sync(): Promise<void>;
  /** Cuts the file to this many bytes. */
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

/** An entry on its way to the disk, with the callbacks of its writer. */
interface Waiting {
  readonly entry: JournalEntry;
  readonly line: string;
  readonly done: () => void;
  readonly fail: (error: unknown) => void;
}

/** Returns a journal that writes entries in the given order. Entries that wait at the same moment share one write and one sync. */
export function journalOn(file: JournalFile, now: () => Date): Journal {
  const lineOf = lineMaker();
  let waiting: Waiting[] = [];
  let writing: Promise<void> | undefined;
  let failure: ProblemError | undefined;
  /** Total bytes of complete lines. */
  let length = 0;

  async function writeWhole(bytes: Uint8Array): Promise<void> {
    for (let taken = 0; taken < bytes.length; ) {
      const count = await file.write(bytes.subarray(taken));
      if (count <= 0) throw new Error("the disk accepted only a part of it");
      taken += count;
    }
  }

  async function commit(batch: readonly Waiting[]): Promise<void> {
    const bytes = new TextEncoder().encode(batch.map(({ line }) => line).join(""));
    try {
      await writeWhole(bytes);
    } catch (error) {
      // A partial line is unreadable, and the next line would merge with it.
      await file.truncate(length).catch(() => {});
      throw error;
    }
    length += bytes.length;
    // If the machine fails and an outcome is lost, its intent stays open, and the next run looks into it.
    if (batch.some(({ entry }) => entry.event !== "outcome")) await file.sync();
  }

  async function writeAll(): Promise<void> {
    // Entries written in the same moment join the batch.
    await Promise.resolve();
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        if (failure !== undefined) throw failure;
        await commit(batch);
        for (const { done } of batch) done();
      } catch (error) {
        failure ??= unwritable(file.path, error);
        for (const { fail } of batch) fail(failure);
      }
    }
    writing = undefined;
  }

  return {
    path: file.path,
    write: (entry) =>
      new Promise((done, fail) => {
        waiting.push({ entry, line: lineOf({ at: now().toISOString(), ...entry }), done, fail });
        writing ??= writeAll();
      }),
    async close() {
      await writing;
      // What must be on disk has been synced, or its failure is known.
      await file.close().catch(() => {});
    },
  };
}

function unwritable(path: string, error: unknown): ProblemError {
  return new ProblemError({
    code: "SP5004",
    message: `The journal ${path} cannot be written: ${messageOf(error)}.`,
    hint: "Nothing more was sent. Free space on the disk, then plan again: the plan shows what is left to do.",
  });
}
