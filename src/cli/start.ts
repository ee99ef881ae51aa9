import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createRequire, enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";
import { makeFolder, makeOwnFolder, replaceOwnFile } from "../engine/own-files.ts";

/*
 * The first file of the built command. It runs the other files from code that an earlier run has compiled. Node's own cache
 * has only what is compiled while a file is loaded, not the functions that a run calls. @see docs/decisions/package.md
 */

interface Module {
  readonly exports: object;
}
type Require = (id: string) => unknown;
type Wrapper = (exports: object, require: Require, module: Module, file: string, folder: string) => void;

/** The folder of the program's files. */
const folder = import.meta.dirname;

/** Matches a file name that is unique to one build. It has to be, because V8 compares only the lengths of sources. */
const named = /-[\w-]{8}\.cjs$/;

/** Runs the program, and keeps the code that was compiled by its end. */
function run(kept: string, outside: Require): void {
  const loaded = new Map<string, Module>();
  const compiled: { readonly name: string; readonly script: Script }[] = [];
  process.once("exit", () => {
    // A run that ended early has compiled few of the functions that the next one needs.
    if (process.exitCode !== undefined && process.exitCode !== 0 && process.exitCode !== 2) return;
    collectEarly(false);
    for (const { name, script } of compiled) keep(kept, name, script.createCachedData());
  });
  let isStarted = false;
  load("main.cjs");
  isStarted = true;

  function load(name: string): unknown {
    const known = loaded.get(name);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    loaded.set(name, module);
    const file = join(folder, name);
    const before = "(function(exports,require,module,__filename,__dirname){";
    // The build writes only ASCII, which needs no decoding.
    const source = `${before}${readFileSync(file, "latin1")}\n})`;
    const cachedData = readKept(kept, name);
    const options = { filename: file, columnOffset: -before.length };
    // V8 refuses code that was compiled under other flags.
    collectEarly(false);
    const script = new Script(source, cachedData === undefined ? options : { ...options, cachedData });
    collectEarly(isStarted);
    if (script.cachedDataRejected !== false && named.test(name)) compiled.push({ name, script });
    const wrapper: Wrapper = script.runInThisContext();
    wrapper(module.exports, (id) => (id.startsWith("./") ? load(id.slice(2)) : outside(id)), module, file, folder);
    return module.exports;
  }
}

/**
 * Makes an apply collect garbage early, or again as V8 does by default: it lets garbage grow by more than a hundred megabytes
 * first. An apply shares a machine with other jobs for a long time, and spends most of it waiting for services. V8 reads both
 * flags at each collection. @see docs/decisions/memory.md
 */
function collectEarly(isEarly: boolean): void {
  if (!process.argv.includes("apply")) return;
  const { setFlagsFromString } = process.getBuiltinModule("node:v8");
  // Keep the space for new objects small: most of them are garbage before it is full.
  setFlagsFromString(`--semi-space-growth-factor=${isEarly ? 1 : 2}`);
  // Collect the rest of the heap whenever it has grown by 30 %.
  setFlagsFromString(`--heap-growing-percent=${isEarly ? 30 : 0}`);
}

/**
 * Reads what an earlier run compiled from a file. V8 rejects code of another version or other flags, but it would run damaged
 * code and crash. A checksum at the end detects damage.
 */
function readKept(kept: string, name: string): Buffer | undefined {
  try {
    if (!named.test(name)) return undefined;
    const content = readFileSync(join(kept, name));
    const data = content.subarray(0, -4);
    return crc32(data) === content.readUInt32LE(data.length) ? data : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps what was compiled from a file, and removes what was kept from its earlier builds. */
function keep(kept: string, name: string, data: Buffer): void {
  try {
    makeFolder(kept, 0o700);
    const sum = Buffer.alloc(4);
    sum.writeUInt32LE(crc32(data));
    replaceOwnFile(join(kept, name), Buffer.concat([data, sum]));
    const build = name.replace(named, "");
    for (const old of readdirSync(kept))
      if (old !== name && old.replace(named, "") === build) rmSync(join(kept, old), { force: true });
  } catch {
    // The disk is full or read-only: commands only start more slowly.
  }
}

/** Whether a folder is in a checkout, in which a pull request can have any file, for example if a pipeline keeps its caches there. */
function isInCheckout(path: string): boolean {
  return existsSync(join(path, ".git")) || (dirname(path) !== path && isInCheckout(dirname(path)));
}

/**
 * The folder for compiled code. Its files are executed, so nobody else may be able to write there: a shared folder for
 * temporary files, which is Node's default, is not safe. Undefined if there is no such folder.
 */
function keptFolder(): string | undefined {
  const { NODE_COMPILE_CACHE: stated, NODE_DISABLE_COMPILE_CACHE: disabled, XDG_CACHE_HOME: cache } = process.env;
  if (disabled) return undefined;
  try {
    const home = cache || join(homedir(), ".cache");
    const compiled = stated || join(home, "setpoint/compiled");
    if (!isAbsolute(compiled) || (!stated && process.getuid === undefined)) return undefined;
    if (!stated && isInCheckout(compiled)) return undefined;
    if (!stated) for (const each of [home, dirname(compiled), compiled]) makeOwnFolder(each);
    // As setpoint makes it; git does not.
    if (!stated && (statSync(compiled).mode & 0o077) !== 0) return undefined;
    // These commands have flags or functions of their own, except for their help.
    const [command = "", ...words] = process.argv.slice(2);
    const isOwn = ["apply", "drift", "plan", "validate"].includes(command) && !words.includes("--help");
    const kept = join(compiled, isOwn ? command : "other");
    if (!stated) enableCompileCache(kept);
    return join(kept, `${process.version}-${process.arch}`);
  } catch {
    // The home folder is read-only or missing: commands only start more slowly.
    return undefined;
  }
}

if (process.argv.length === 3 && process.argv[2] === "--version") {
  // Scripts ask for the version in loops, so it is answered before anything is loaded.
  const { version }: { readonly version: string } = JSON.parse(
    readFileSync(join(folder, "../../package.json"), "utf8"),
  );
  process.stdout
    .once("error", ({ code, message }: NodeJS.ErrnoException) => {
      if (code === "EPIPE") return;
      process.stderr.write(`SP1017  The output cannot be written: ${message}.\n`);
      process.exitCode = 1;
    })
    .write(`${version}\n`);
} else {
  const kept = keptFolder();
  const program = join(folder, "main.cjs");
  const outside = createRequire(program);
  if (kept === undefined) outside(program);
  else run(kept, outside);
  // By now the space for new objects is as large as it has to be.
  collectEarly(true);
}
