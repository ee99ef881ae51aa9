import { spawn } from "node:child_process";
import { once } from "node:events";
import { createConnection } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { isNightly } from "../measured.ts";
import { program } from "../program.ts";
import { type Asked, answers, needsProcess, textOf } from "./protocol.ts";

/** The ports of processes that wait for a command. */
const idle: number[] = [];

/** The port of the process that scripts share: each of them waits for its turn. */
let shared: Promise<number> | undefined;

/**
 * Runs a command in a process that has run others, because starting is most of what a command costs. Returns undefined for a
 * command that needs its own process, as every command does in the nightly run.
 */
export async function runWarm(
  asked: Asked,
): Promise<{ readonly code: number; readonly out: string; readonly err: string } | undefined> {
  if (isNightly || needsProcess(asked)) return undefined;
  const written: Record<1 | 2, Uint8Array[]> = { 1: [], 2: [] };
  const port = idle.pop() ?? (await openWarm());
  const code = await runAt(port, asked, (to, bytes) => void written[to].push(bytes));
  idle.push(port);
  return { code, out: Buffer.concat(written[1]).toString(), err: Buffer.concat(written[2]).toString() };
}

/** Returns a script for `sh` that acts as `setpoint` for other scripts. */
export async function warmScript(): Promise<string> {
  if (isNightly) return `exec "${process.execPath}" "${program}" "$@"`;
  shared ??= openWarm().then((port) => {
    idle.push(port);
    return port;
  });
  return `exec bash "${join(import.meta.dirname, "client.sh")}" "${process.execPath}" "${program}" ${await shared} "$@"`;
}

/** Lets the process at a port run a command, and returns its exit code. */
async function runAt(port: number, asked: Asked, written: (to: 1 | 2, bytes: Uint8Array) => void): Promise<number> {
  const connection = createConnection(port, "127.0.0.1");
  await once(connection, "connect");
  // If the process goes away, the answer simply ends.
  connection.on("error", () => {});
  connection.setEncoding(answers.encoding).write(textOf(asked));
  for await (const line of createInterface({ input: connection })) {
    const at = line.indexOf(" ");
    const [what, said] = [line.slice(0, at), line.slice(at + 1)];
    if (what === "code") return Number(said);
    written(what === "1" ? 1 : 2, answers.bytesIn(said));
  }
  throw new Error(`The process of the commands has ended: setpoint ${asked.args.join(" ")}`);
}

/** Starts a process that ends with this one, and returns its port. */
async function openWarm(): Promise<number> {
  const started = spawn(process.execPath, [join(import.meta.dirname, "process.ts"), program], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const port = await new Promise<number>((resolve, reject) => {
    started.stdout.once("data", (line) => resolve(Number(line)));
    started.once("exit", () => reject(new Error("The process of the commands did not start.")));
  });
  started.once("exit", () => {
    if (idle.includes(port)) idle.splice(idle.indexOf(port), 1);
  });
  started.unref();
  return port;
}
