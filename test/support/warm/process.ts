/**
 * Runs commands one after the other, as `node start.js` would run each: with its own arguments, folder, environment, output and
 * exit code, until nothing is left to wait for. `node process.ts <start.js>` listens on the port that it prints, and ends when its standard input ends.
 */
import { createRequire } from "node:module";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { Readable, Writable } from "node:stream";
import { type Asked, answers, needsProcess, onceAsked } from "./protocol.ts";

const [program = ""] = process.argv.slice(2);
const require = createRequire(program);
/** The module that the program starts. It runs when it is loaded, and the modules that it loads stay loaded. */
const main = join(dirname(program), "main.cjs");
const home = process.cwd();
const { stdin, stdout } = process;
let turn = Promise.resolve();

/** Thrown in place of `process.exit`, which commander calls for help and for arguments that it cannot parse. */
class Exit extends Error {}

async function run({ args, cwd, env }: Asked, answer: (line: string) => void): Promise<void> {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  process.argv = [process.execPath, program, ...args];
  process.exitCode = undefined;
  define("stdin", Readable.from([]));
  define("stdout", outputTo(answer, 1));
  define("stderr", outputTo(answer, 2));
  const end = Promise.withResolvers<void>();
  server.unref();
  stdin.unref();
  process.once("beforeExit", () => {
    server.ref();
    stdin.ref();
    end.resolve();
  });
  delete require.cache[main];
  require(main);
  await end.promise;
  answer(answers.code(Number(process.exitCode ?? 0)));
  process.chdir(home);
}

function define(name: "stdin" | "stdout" | "stderr", value: unknown): void {
  Object.defineProperty(process, name, { value, configurable: true });
}

function outputTo(answer: (line: string) => void, to: 1 | 2): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      answer(answers.written(to, chunk));
      done();
    },
  });
}

function serve(connection: Socket): void {
  // A connection that waits for its turn must not keep the current command from ending.
  connection.on("error", () => {}).unref();
  onceAsked(connection, (asked) => {
    const write = (answer: string) => connection.write(answer, answers.encoding);
    if (needsProcess(asked)) connection.end(answers.own);
    else turn = turn.then(() => run(asked, write)).then(() => void connection.end());
  });
}

const exit = process.exit.bind(process);
process.exit = (code) => {
  process.exitCode = code ?? process.exitCode;
  throw new Exit();
};
process.on("unhandledRejection", (error) => {
  if (!(error instanceof Exit)) throw error;
});
stdin.resume().once("close", () => exit(0));
const server = createServer(serve).listen(0, "127.0.0.1", () => {
  const { port }: AddressInfo = JSON.parse(JSON.stringify(server.address()));
  stdout.write(`${port}\n`);
});
