import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isNightly } from "../measured.ts";
import { program } from "../program.ts";
import { type Asked, needsProcess, runAt } from "./protocol.ts";

/** Processes that wait for a command. */
const idle: string[] = [];

/**
 * Runs a command in a process that has run others: starting is most of what a command costs. Undefined for what needs a process
 * of its own, as every command has in the nightly run.
 */
export async function runWarm(
  asked: Asked,
): Promise<{ readonly code: number; readonly out: string; readonly err: string } | undefined> {
  if (isNightly || needsProcess(asked)) return undefined;
  const written: Record<1 | 2, Uint8Array[]> = { 1: [], 2: [] };
  const socket = idle.pop() ?? (await openWarm());
  const code = await runAt(socket, asked, (to, bytes) => void written[to].push(bytes));
  idle.push(socket);
  return { code, out: Buffer.concat(written[1]).toString(), err: Buffer.concat(written[2]).toString() };
}

/** A script for `sh` that is `setpoint` to other scripts. */
export async function warmScript(): Promise<string> {
  if (isNightly) return `exec "${process.execPath}" "${program}" "$@"`;
  const socket = idle[0] ?? (await openWarm());
  if (!idle.includes(socket)) idle.push(socket);
  return `exec "${process.execPath}" "${join(import.meta.dirname, "client.ts")}" "${program}" "${socket}" "$@"`;
}

/** Starts a process, which ends with this one. */
async function openWarm(): Promise<string> {
  const socket = join(mkdtempSync(join(tmpdir(), "setpoint-warm-")), "socket");
  const started = spawn(process.execPath, [join(import.meta.dirname, "process.ts"), program, socket], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  await new Promise((resolve, reject) => {
    started.stdout.once("data", resolve);
    started.once("exit", () => reject(new Error("The process of the commands did not start.")));
  });
  started.once("exit", () => {
    if (idle.includes(socket)) idle.splice(idle.indexOf(socket), 1);
  });
  started.unref();
  return socket;
}
