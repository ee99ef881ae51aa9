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
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { ProblemError } from "../core/problem.ts";
import { hasCode, reasonOf } from "../core/reason.ts";
import { type Journal, linesOf, type Past, type Runs } from "./journal.ts";
import { type JournalFile, journalOn } from "./journal-file.ts";
import { userName } from "./locks/holder.ts";
import { syncFolder } from "./own-files.ts";
import { removeIfPossible } from "./remove-if-possible.ts";

/** How much of the past is kept: the newest journals, as long as they are neither too many nor too large together. */
export interface Kept {
  readonly runs: number;
  readonly bytes: number;
}

const kept: Kept = { runs: 100, bytes: 64 * 1024 * 1024 };

/** The journals in `.setpoint/runs/` of a folder. */
export function diskRuns(folder: string, now: () => Date, most = kept): Runs {
  return {
    newest: () => journalsIn(folder).at(-1),
    past: () => pastRuns(folder),
    open: (run) => rotating(openJournal(folder, run, now), () => rotate(folder, most)),
  };
}

/** Who runs this: `user@host`. */
export function whoRuns(): string {
  return `${userName()}@${hostname()}`;
}

/** Opens `<folder>/.setpoint/runs/<run>.jsonl`. Throws the file system's error, or `ProblemError` SP1017, if it cannot be written. */
export function openJournal(folder: string, run: string, now: () => Date): Journal {
  const runs = privateFolder(folder, ".setpoint", "runs");
  const path = join(runs, `${run}.jsonl`);
  const file = madeAt(path, () => openSync(path, "ax", 0o600));
  // The name of the file is in the folder: without this the file may be gone after a power failure.
  syncFolder(runs);
  return journalOn(fileOf(path, file), now);
}

/** Makes folders below a folder that nobody else may enter. Throws `ProblemError` SP1017 if a link leads elsewhere. */
function privateFolder(folder: string, ...names: readonly string[]): string {
  return names.reduce((above, name) => {
    const path = join(above, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) {
      madeAt(path, () => mkdirSync(path, { mode: 0o700 }));
      syncFolder(above);
    } else if (!found.isDirectory())
      throw new ProblemError({
        code: "SP1017",
        message: `${path} is ${found.isSymbolicLink() ? "a link" : "no folder"}, so no journal is written there.`,
        hint: "Nothing was sent. Remove it: setpoint makes the folder by itself.",
      });
    else if ((found.mode & 0o077) !== 0) chmodSync(path, 0o700);
    return path;
  }, folder);
}

/** What is made at a path. Throws `ProblemError` SP1017 if nothing can be written there. */
function madeAt<T>(path: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!hasCode(error, "EROFS", "EACCES", "EPERM", "ENOENT")) throw error;
    throw new ProblemError({
      code: "SP1017",
      message: `${path} cannot be used: ${reasonOf(error)}.`,
      hint: "An apply sends nothing without its journal, which it keeps there: run it where the folder of setpoint.yaml can be written.",
    });
  }
}

const syncContent = promisify(fdatasync);

function fileOf(path: string, file: number): JournalFile {
  return {
    path,
    // What takes it is the system's memory: that is done sooner than another thread could be asked to do it.
    write: async (bytes) => writeSync(file, bytes),
    sync: () => syncContent(file),
    truncate: (length) => promisify(ftruncate)(file, length),
    close: () => promisify(closeWithCallback)(file),
  };
}

/** The folder of the journals, if it is one; what is in its way is said by the run that has to write one. */
function runsFolder(folder: string): string | undefined {
  const runs = join(folder, ".setpoint", "runs");
  const isFolder = [dirname(runs), runs].every((path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory());
  return isFolder ? runs : undefined;
}

/**
 * The names of the journals, the oldest first: they begin with the second in which the run did. Those of one second are in
 * the order in which they were last written, because one run writes at a time.
 */
function journalsIn(folder: string): readonly string[] {
  const runs = runsFolder(folder);
  if (runs === undefined) return [];
  const names = readdirSync(runs, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".jsonl"))
    .map(({ name }) => name)
    .sort();
  const secondOf = (name: string) => /^\d{4}-\d\d-\d\dT\d{6}Z/.exec(name)?.[0] ?? name;
  const writtenAt = (name: string) => statSync(join(runs, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return [...Map.groupBy(names, secondOf).values()].flatMap((same) =>
    same.length === 1 ? same : same.toSorted((a, b) => writtenAt(a) - writtenAt(b)),
  );
}

function pastRuns(folder: string, tries = 5): readonly Past[] {
  try {
    return journalsIn(folder).map((name) => ({
      name: name.replace(/\.jsonl$/, ""),
      lines: linesOf(textAt(join(folder, ".setpoint", "runs", name))),
    }));
  } catch (error) {
    // Another run has removed an old one since they were listed; what that says of secrets may be in a newer one alone.
    if (tries > 1 && hasCode(error, "ENOENT")) return pastRuns(folder, tries - 1);
    throw error;
  }
}

function textAt(path: string): string {
  if (statSync(path).size <= constants.MAX_STRING_LENGTH) return readFileSync(path, "utf8");
  const hint = "Look after the secrets that it tells of, then remove it.";
  throw new ProblemError({ code: "SP1017", message: `${path} is too large to be read.`, hint });
}

/** The journal, with old ones removed when it is closed: only then it has all that matters of them. */
function rotating(journal: Journal, removeOld: () => void): Journal {
  let isCarried = false;
  return {
    path: journal.path,
    async write(entry) {
      await journal.write(entry);
      if (entry.event === "start") isCarried = entry.undelivered !== undefined;
    },
    async close() {
      await journal.close();
      if (isCarried) removeOld();
    },
  };
}

/** Removes the oldest journals. What is undelivered is in the start of the newest one. */
function rotate(folder: string, most: Kept): void {
  let bytes = 0;
  const newestFirst = journalsIn(folder).toReversed();
  newestFirst.forEach((name, index) => {
    const path = join(folder, ".setpoint", "runs", name);
    // Another run, of other services, may remove it at the same moment.
    bytes += statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    // The newest one stays, whatever its size.
    if (index > 0 && (index >= most.runs || bytes > most.bytes)) removeIfPossible(path);
  });
}
