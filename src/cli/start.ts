import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire, enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";
import { makeFolder, makeOwnFolder } from "../engine/own-files.ts";

/*
 * The first file of the built command: it runs the others from code that an earlier run has compiled. Node's own cache has
 * only what is compiled while a file is loaded, and none of the functions that a run calls. @see docs/decisions/package.md
 */

interface Module {
  readonly exports: object;
}
type Require = (id: string) => unknown;
type Wrapper = (exports: object, require: Require, module: Module, file: string, folder: string) => void;

/** Where the files of the program are. */
const folder = import.meta.dirname;

/** A name that another build of a file does not have: V8 compares no more of a source than its length. */
const named = /-[\w-]{8}\.cjs$/;

/** Runs the program, and keeps what is compiled by its end. */
function run(kept: string, outside: Require): void {
  const loaded = new Map<string, Module>();
  const compiled: { readonly name: string; readonly script: Script }[] = [];
  process.once("exit", () => {
    // A run that ended early has called few of the functions that the next one will.
    if (process.exitCode !== undefined && process.exitCode !== 0 && process.exitCode !== 2) return;
    for (const { name, script } of compiled) keep(kept, name, script.createCachedData());
  });
  load("main.cjs");

  function load(name: string): unknown {
    const known = loaded.get(name);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    loaded.set(name, module);
    const file = join(folder, name);
    const before = "(function(exports,require,module,__filename,__dirname){";
    // The build writes ASCII alone, which needs no decoding.
    const source = `${before}${readFileSync(file, "latin1")}\n})`;
    const cachedData = readKept(kept, name);
    const options = { filename: file, columnOffset: -before.length };
    const script = new Script(source, cachedData === undefined ? options : { ...options, cachedData });
    if (script.cachedDataRejected !== false && named.test(name)) compiled.push({ name, script });
    const wrapper: Wrapper = script.runInThisContext();
    wrapper(module.exports, (id) => (id.startsWith("./") ? load(id.slice(2)) : outside(id)), module, file, folder);
    return module.exports;
  }
}

/**
 * What an earlier run has compiled of a file. V8 takes nothing of another version or with other flags, but runs what a disk or a
 * copy has damaged, and crashes: so a checksum follows it.
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

/** Keeps what was compiled of a file, in place of what was kept of its earlier builds. */
function keep(kept: string, name: string, data: Buffer): void {
  try {
    makeFolder(kept, 0o700);
    const other = join(kept, `${name}.${process.pid}`);
    const sum = Buffer.alloc(4);
    sum.writeUInt32LE(crc32(data));
    writeFileSync(other, Buffer.concat([data, sum]), { mode: 0o600, flush: true });
    renameSync(other, join(kept, name));
    const build = name.replace(named, "");
    for (const old of readdirSync(kept))
      if (old !== name && old.replace(named, "") === build) rmSync(join(kept, old), { force: true });
  } catch {
    // A disk that is full or cannot be written: commands only start later.
  }
}

/**
 * Where compiled code is kept. What is kept is run, so it is kept only where nobody else can write: never in a shared folder for
 * temporary files, which would be Node's choice. Undefined if there is no such folder.
 */
function keptFolder(): string | undefined {
  const { NODE_COMPILE_CACHE: stated, NODE_DISABLE_COMPILE_CACHE: disabled, XDG_CACHE_HOME: cache } = process.env;
  if (disabled) return undefined;
  try {
    const home = cache || join(homedir(), ".cache");
    const compiled = stated || join(home, "setpoint/compiled");
    if (!isAbsolute(compiled) || (!stated && process.getuid === undefined)) return undefined;
    if (!stated) for (const each of [home, dirname(compiled), compiled]) makeOwnFolder(each);
    // Each has flags or functions of its own, but for its help.
    const [command = "", ...words] = process.argv.slice(2);
    const isOwn = ["apply", "drift", "plan", "validate"].includes(command) && !words.includes("--help");
    const kept = join(compiled, isOwn ? command : "other");
    if (!stated) enableCompileCache(kept);
    return join(kept, `${process.version}-${process.arch}`);
  } catch {
    // A home that cannot be written or is not there: commands only start later.
    return undefined;
  }
}

if (process.argv.length === 3 && process.argv[2] === "--version") {
  // Asked for by scripts in a loop: answered before anything is loaded.
  const { version }: { readonly version: string } = JSON.parse(
    readFileSync(join(folder, "../../package.json"), "utf8"),
  );
  process.stdout.write(`${version}\n`);
} else {
  const kept = keptFolder();
  const program = join(folder, "main.cjs");
  const outside = createRequire(program);
  if (kept === undefined) outside(program);
  else run(kept, outside);
}
