import { crc32 } from "node:zlib";
import { ProblemError } from "../../core/problem.ts";
import { messageOf } from "../../core/text/reason.ts";
import { type Journal, type JournalEntry, journalLines, type Lines } from "./journal.ts";

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

/**
 * Returns a function that makes the lines of one journal, in order. The end has a checksum of everything before it. A setpoint
 * that writes entries of another version must name its checksum differently: to this one, their lines are damage.
 */
export function lineMaker(): (entry: JournalEntry & { readonly at?: string }) => string {
  let sum = 0;
  return (entry) => {
    const json = JSON.stringify(entry);
    if (entry.event === "end") return `${json.slice(0, -1)},"sum":${crc32(json.slice(0, -1), sum)}}\n`;
    sum = crc32(`${json}\n`, sum);
    return `${json}\n`;
  };
}

/**
 * Reads the damage of a journal and what it says about secrets. If it has an end and is as it was written, and no call delivered a
 * secret, that is only its first line: none of the others is parsed.
 */
export function linesOnSecrets(text: string): Lines {
  const isShort = isIntact(text) && !text.includes('"deliver":');
  return journalLines(isShort ? text.slice(0, text.indexOf("\n")) : text);
}

function isIntact(text: string): boolean {
  const [end = "", sum] = /,"sum":(\d+)\}\n$/.exec(text.slice(-30)) ?? [];
  return sum !== undefined && crc32(text.slice(0, -end.length)) === Number(sum);
}
