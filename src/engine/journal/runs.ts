import { constants } from "node:buffer";
import {
  chmodSync,
  close as closeWithCallback,
  fdatasync,
  ftruncate,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { ProblemError } from "../../core/problem.ts";
import { hasCode, reasonOf } from "../../core/text/reason.ts";
import { inOrder } from "../../core/text/words.ts";
import { removeIfPossible, syncFolder } from "../own-files.ts";
import { type Journal, journalLines, type Past, type ReadLines, type Runs, undeliveredIn } from "./journal.ts";
import { type JournalFile, journalOn, linesOnSecrets } from "./journal-file.ts";

/** The limits on kept journals: their number and their total size. The newest are kept. */
export interface Kept {
  readonly runs: number;
  readonly bytes: number;
}

const limits: Kept = { runs: 100, bytes: 64 * 1024 * 1024 };

/** Returns the journals in `.setpoint/runs/` of a folder. */
export function diskRuns(folder: string, now: () => Date, most = limits): Runs {
  return {
    newest: () => journalsIn(folder).at(-1),
    past: (read = journalLines) => pastRuns(folder, read),
    open(run) {
      const journal = openJournal(folder, run, now);
      return {
        ...journal,
        async close() {
          await journal.close();
          try {
            rotate(folder, most);
          } catch {
            // The next run removes them. This one has a result to report.
          }
        },
      };
    },
  };
}

/** Opens `<folder>/.setpoint/runs/<run>.jsonl`. Throws the file system's error, or `ProblemError` SP1017, if it cannot be written. */
export function openJournal(folder: string, run: string, now: () => Date): Journal {
  const runs = privateFolder(folder, ".setpoint", "runs");
  const path = join(runs, `${run}.jsonl`);
  const file = madeAt(path, () => openSync(path, "ax", 0o600));
  // The file's name is stored in the folder: without this, a power failure could lose the file.
  syncFolder(runs);
  return journalOn(fileOf(path, file), now);
}

/** Creates nested folders that no one else may enter, and returns the innermost. Throws `ProblemError` SP1017 for a link or a file. */
function privateFolder(folder: string, ...names: readonly string[]): string {
  return names.reduce((above, name) => {
    const path = join(above, name);
    madeAt(path, () => makeOnce(path));
    const found = lstatSync(path);
    if (!found.isDirectory())
      throw new ProblemError({
        code: "SP1017",
        message: `${path} is ${found.isSymbolicLink() ? "a link" : "not a folder"}, so no journal is written there.`,
        hint: "Nothing was sent. Remove it: setpoint creates the folder itself.",
      });
    else if ((found.mode & 0o077) !== 0) chmodSync(path, 0o700);
    return path;
  }, folder);
}

/** Creates a folder, unless it exists: two runs may create the same one. */
function makeOnce(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
    syncFolder(dirname(path));
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
}

/** Returns what `make` creates at a path. Throws `ProblemError` SP1017 if nothing can be written there. */
function madeAt<T>(path: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!hasCode(error, "EROFS", "EACCES", "EPERM", "ENOENT")) throw error;
    throw new ProblemError({
      code: "SP1017",
      message: `${path} cannot be used: ${reasonOf(error)}.`,
      hint: "An apply sends nothing without its journal, which it keeps there. Run it where the folder of setpoint.yaml is writable.",
    });
  }
}

function fileOf(path: string, file: number): JournalFile {
  return {
    path,
    // Synchronous: the system only copies the bytes into its memory, which is faster than asking another thread.
    write: async (bytes) => writeSync(file, bytes),
    sync: () => promisify(fdatasync)(file),
    truncate: (length) => promisify(ftruncate)(file, length),
    close: () => promisify(closeWithCallback)(file),
  };
}

/** Returns the folder of the journals, if it exists. Anything else at its path is reported by the run that writes a journal. */
function runsFolder(folder: string): string | undefined {
  const runs = join(folder, ".setpoint", "runs");
  const isFolder = [dirname(runs), runs].every((path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory());
  return isFolder ? runs : undefined;
}

/**
 * Returns the names of the journals, the oldest first. A name starts with the second in which its run began. Journals of one
 * second, of runs that began at one moment, are in the order in which they were last written. Files that someone has renamed come
 * first, so that no copy of an old journal counts as the last word about a secret.
 */
function journalsIn(folder: string): readonly string[] {
  const runs = runsFolder(folder);
  if (runs === undefined) return [];
  const names = readdirSync(runs, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".jsonl"))
    .map(({ name }) => name)
    .sort();
  const secondOf = (name: string) => /^\d{4}-\d\d-\d\dT\d{6}Z/.exec(name)?.[0] ?? "";
  const writtenAt = (name: string) => statSync(join(runs, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const groups = [...Map.groupBy(names, secondOf)].sort(([a], [b]) => inOrder(a, b));
  return groups.flatMap(([, same]) =>
    same.length === 1 ? same : same.toSorted((a, b) => writtenAt(a) - writtenAt(b)),
  );
}

function pastRuns(folder: string, read: ReadLines, tries = 5): readonly Past[] {
  try {
    return journalsIn(folder).map((file) => {
      const name = file.replace(/\.jsonl$/, "");
      return { name, lines: read(textAt(join(folder, ".setpoint", "runs", file)), name) };
    });
  } catch (error) {
    // Another run has removed an old journal since the listing. What it said about secrets may be only in a newer one.
    if (tries > 1 && hasCode(error, "ENOENT")) return pastRuns(folder, read, tries - 1);
    throw error;
  }
}

function textAt(path: string): string {
  if (statSync(path).size <= constants.MAX_STRING_LENGTH) return readFileSync(path, "utf8");
  const hint = "Check the secrets that it mentions, then remove it.";
  throw new ProblemError({ code: "SP1017", message: `${path} is too large to be read.`, hint });
}

/** Removes the oldest journals, if the others say the same about secrets: a run's start lists what is undelivered. */
function rotate(folder: string, most: Kept): void {
  let bytes = 0;
  const old = journalsIn(folder)
    .toReversed()
    .filter((name, index) => {
      // A run of other services may remove it at the same moment.
      bytes += statSync(join(folder, ".setpoint", "runs", name), { throwIfNoEntry: false })?.size ?? 0;
      // The newest journal stays, whatever its size.
      return index > 0 && (index >= most.runs || bytes > most.bytes);
    });
  if (old.length === 0) return;
  const past = pastRuns(folder, linesOnSecrets);
  const others = past.filter(({ name }) => !old.includes(`${name}.jsonl`));
  // They differ if this run's start could not be written, or if another run ended after it was.
  const [all, kept] = [undeliveredIn(past), undeliveredIn(others)];
  if (all.size !== kept.size || [...all].some((address) => !kept.has(address))) return;
  // The oldest first: if the run is killed meanwhile, no earlier journal is left without what a later one says about it.
  for (const name of old.toReversed()) removeIfPossible(join(folder, ".setpoint", "runs", name));
}
