import { isUtf8 } from "node:buffer";
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
import type { Environment } from "../../clients/credentials/credentials.ts";
import { ProblemError } from "../../core/problem.ts";
import type { OpenSink } from "../../core/sink.ts";
import { sameJson } from "../../core/text/json.ts";
import { hasCode, reasonOf } from "../../core/text/reason.ts";
import { alone } from "../locks/locks.ts";
import { makeFolder, removeIfPossible, syncFolder } from "../own-files.ts";

/** Opens a file that holds a secret and nothing else. Throws `ProblemError` SP1017 if it cannot be written. */
export function openSecretFile(path: string): OpenSink {
  try {
    makeFolder(dirname(path), 0o700);
    prepare(path);
  } catch (error) {
    throw unwritable(path, error);
  }
  return {
    async put(secret) {
      try {
        store(path, secret.reveal(), (content) => content === secret.reveal());
      } catch (error) {
        throw undelivered(path, error);
      }
    },
  };
}

/**
 * Opens a variable of a dotenv file. Its other lines are kept, also those that another run is writing. `env` says where locks are
 * kept. Rejects with `ProblemError` SP1017 if the file cannot be written.
 */
export async function openDotenv(path: string, name: string, env: Environment): Promise<OpenSink> {
  async function inTurn(step: () => void, failed: typeof undelivered): Promise<void> {
    try {
      makeFolder(dirname(path), 0o700);
      await alone(path, env, step);
    } catch (error) {
      throw failed(path, error);
    }
  }
  const check = () => {
    prepare(path);
    textOf(path);
  };
  await inTurn(check, unwritable);
  return { put: (secret) => inTurn(() => assign(path, name, secret.reveal()), undelivered) };
}

/** Sets a variable of a dotenv file. */
function assign(path: string, name: string, value: string): void {
  const before = textOf(path);
  const after = withLine(before, name, value);
  const expected = { ...parseEnv(before), [name]: value };
  const isHeld = (content: string) => sameJson(parseEnv(content), expected);
  // Detects, before the file is replaced, a value over several lines, or a secret that cannot be quoted.
  if (!isHeld(after)) throw new Error("it cannot be written there without changing another value");
  store(path, after, isHeld);
}

/** Returns the path to which new content is written first. A file that a killed run left there is replaced. */
function besides(path: string): string {
  return join(dirname(path), `.${basename(path)}.setpoint-new`);
}

/** Checks that a file can be replaced, by writing one beside it. */
function prepare(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) throw new Error("it is not a regular file");
  writeBeside(path, "");
  rmSync(besides(path));
  syncFolder(dirname(path));
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
  } catch (error) {
    removeIfPossible(beside);
    throw error;
  } finally {
    closeSync(file);
  }
}

/** Replaces a file in one step, and reads it back. */
function store(path: string, content: string, isHeld: (content: string) => boolean): void {
  writeBeside(path, content);
  try {
    renameSync(besides(path), path);
  } catch (error) {
    removeIfPossible(besides(path));
    throw error;
  }
  syncFolder(dirname(path));
  if (!isHeld(readFileSync(path, "utf8"))) throw new Error("reading it back shows something else");
}

/** Returns the text of a file; empty if there is no file. Decoding anything but UTF-8 would change it. */
function textOf(path: string): string {
  try {
    const content = readFileSync(path);
    if (!isUtf8(content)) throw new Error("it is not UTF-8 text");
    return content.toString("utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return "";
    throw error;
  }
}

/** Returns the text with the variable's line replaced or appended. */
function withLine(text: string, name: string, value: string): string {
  const assignment = `${name}=${/^[\w.+/=:@~-]+$/.test(value) ? value : `'${value}'`}`;
  const line = new RegExp(`^([ \\t]*(?:export[ \\t]+)?)${name}[ \\t]*=.*$`, "gm");
  if (line.test(text)) return text.replace(line, (_line, start: string) => `${start}${assignment}`);
  return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${assignment}\n`;
}

function unwritable(path: string, error: unknown): ProblemError {
  return new ProblemError({
    code: "SP1017",
    message: `${path} cannot be written: ${reasonOf(error)}.`,
    hint: "Nothing was sent. Name a file that you can write and nobody else can read.",
  });
}

/** The system's reasons name paths and never contents. */
function undelivered(path: string, error: unknown): ProblemError {
  return new ProblemError({
    code: "SP4005",
    message: `The new secret could not be stored in ${path}: ${reasonOf(error)}.`,
    hint: "Check the file, its folder and the disk.",
  });
}
