/**
 * Runs commands one after the other, as `node main.js` would run each: with its own arguments, folder, environment, output and
 * exit code. `node process.ts <main.js> <socket>` listens there and ends with its standard input.
 */
import { rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import type { Answer, Asked } from "./protocol.ts";

const [program = "", socket = ""] = process.argv.slice(2);
const home = process.cwd();
let runs = 0;
let turn = Promise.resolve();

/** What `process.exit` becomes: commander calls it for help and for what it cannot parse. */
class Exit extends Error {}

async function run({ args, cwd, env }: Asked, answer: (answer: Answer) => void): Promise<void> {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  process.argv = [process.execPath, program, ...args];
  process.exitCode = undefined;
  define("stdin", Readable.from([]));
  define("stdout", outputTo(answer, 1));
  define("stderr", outputTo(answer, 2));
  runs += 1;
  try {
    await import(`${pathToFileURL(program).href}?run=${runs}`);
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
  }
  answer({ code: Number(process.exitCode ?? 0) });
  process.chdir(home);
}

function define(name: "stdin" | "stdout" | "stderr", value: unknown): void {
  Object.defineProperty(process, name, { value, configurable: true });
}

function outputTo(answer: (answer: Answer) => void, to: 1 | 2): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      answer({ to, bytes: chunk.toString("base64") });
      done();
    },
  });
}

function serve(connection: Socket): void {
  connection.on("error", () => {});
  createInterface({ input: connection }).once("line", (line) => {
    const asked: Asked = JSON.parse(line);
    turn = turn
      .then(() => run(asked, (answer) => connection.write(`${JSON.stringify(answer)}\n`)))
      .then(() => void connection.end());
  });
}

const { stdin, stdout } = process;
const exit = process.exit.bind(process);
process.exit = (code) => {
  process.exitCode = code ?? process.exitCode;
  throw new Exit();
};
stdin.resume().once("close", () => {
  rmSync(dirname(socket), { recursive: true });
  exit(0);
});
createServer(serve).listen(socket, () => stdout.write("ready\n"));
