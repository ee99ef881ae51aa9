import {
  closeSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { parseEnv } from "node:util";
import { ProblemError } from "../../core/problem.ts";
import type { OpenSink } from "../../core/sink.ts";
import { sameJson } from "../../core/text/json.ts";
import { hasCode, messageOf } from "../../core/text/reason.ts";
import { makeFolder, removeIfPossible, syncFolder } from "../own-files.ts";

/** Opens a file that holds a secret and nothing else. Throws `ProblemError` SP1017 if it cannot be written. */
export function openSecretFile(path: string): OpenSink {
  prepare(path);
  return {
    put: async (secret) => store(path, secret.reveal(), (content) => content === secret.reveal()),
  };
}

/** Opens a variable of a dotenv file, whose other lines are kept. Throws `ProblemError` SP1017 if it cannot be written. */
export function openDotenv(path: string, name: string): OpenSink {
  prepare(path);
  return {
    async put(secret) {
      const text = secret.reveal();
      const before = textOf(path);
      const after = withLine(before, name, text);
      const expected = { ...parseEnv(before), [name]: text };
      const isHeld = (content: string) => sameJson(parseEnv(content), expected);
      // Detects, before the file is replaced, a value over several lines, or a secret that cannot be quoted.
      if (!isHeld(after)) throw undelivered(path, "it cannot be written there without changing another value");
      store(path, after, isHeld);
    },
  };
}

/** Returns the path to which new content is written first. A file that a killed run left there is replaced. */
function besides(path: string): string {
  return join(dirname(path), `.${basename(path)}.setpoint-new`);
}

/** Checks that a file can be written, by writing one beside it. */
function prepare(path: string): void {
  try {
    makeFolder(dirname(path), 0o700);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found !== undefined && !found.isFile()) throw new Error("it is not a regular file");
    writeBeside(path, "");
    rmSync(besides(path));
  } catch (error) {
    removeIfPossible(besides(path));
    throw new ProblemError({
      code: "SP1017",
      message: `${path} cannot be written: ${messageOf(error)}.`,
      hint: "Nothing was sent. Name a file that you can write and nobody else can read.",
    });
  }
}

function writeBeside(path: string, content: string): void {
  const beside = besides(path);
  rmSync(beside, { force: true });
  const file = openSync(beside, "wx", 0o600);
  try {
    // On a file system without permissions no secret is written, and the existing file stays.
    if ((fstatSync(file).mode & 0o077) !== 0) throw new Error("others can read what is written there");
    writeFileSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Replaces a file in one step, and reads it back. */
function store(path: string, content: string, isHeld: (content: string) => boolean): void {
  try {
    writeBeside(path, content);
    renameSync(besides(path), path);
    syncFolder(dirname(path));
    if (!isHeld(readFileSync(path, "utf8"))) throw new Error("reading it back shows something else");
  } catch (error) {
    removeIfPossible(besides(path));
    throw undelivered(path, messageOf(error));
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return "";
    throw undelivered(path, messageOf(error));
  }
}

/** Returns the text with the variable's line replaced or appended. */
function withLine(text: string, name: string, value: string): string {
  const assignment = `${name}=${/^[\w.+/=:@~-]+$/.test(value) ? value : `'${value}'`}`;
  const line = new RegExp(`^([ \\t]*(?:export[ \\t]+)?)${name}[ \\t]*=.*$`, "gm");
  if (line.test(text)) return text.replace(line, (_line, start: string) => `${start}${assignment}`);
  return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${assignment}\n`;
}

/** The system's reasons name paths and never contents. */
function undelivered(path: string, reason: string): ProblemError {
  return new ProblemError({
    code: "SP4005",
    message: `The new secret could not be stored in ${path}: ${reason}.`,
    hint: "Check the file, its folder and the disk.",
  });
}
