/** What scripts of shells start as `setpoint`: `node client.ts <main.js> <socket> <args>`. */
import { spawnSync } from "node:child_process";
import { fstatSync, writeSync } from "node:fs";
import { needsProcess, runAt } from "./protocol.ts";

const [program = "", socket = "", ...args] = process.argv.slice(2);
const env = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
);

// Into a file, a command prints otherwise than to whoever reads a pipe.
if (needsProcess({ args, env }) || fstatSync(1).isFile()) {
  process.exitCode = spawnSync(process.execPath, [program, ...args], { stdio: "inherit" }).status ?? 1;
} else {
  process.exitCode = await runAt(socket, { args, cwd: process.cwd(), env }, (to, bytes) => void writeSync(to, bytes));
}
