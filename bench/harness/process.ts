import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";

/** A program to run. */
export interface Command {
  /** The program and its arguments. */
  readonly command: readonly string[];
  readonly cwd: string;
  /** All of its environment but `PATH`. */
  readonly env?: Readonly<Record<string, string>>;
  /** File for standard output, if it is wanted as a file. */
  readonly output?: string;
  /** After how many seconds it is killed; 120 unless given. */
  readonly seconds?: number;
}

/** A program that ended well. */
export interface Finished {
  readonly wall: number;
  readonly processor: number;
  readonly memory: number;
  /** What it printed. */
  readonly stdout: string;
}

const Used = z.strictObject({ wall: z.number(), processor: z.number(), memory: z.number(), code: z.int() });

/**
 * Runs a program and measures it with `process.py`: Node cannot tell what a process that it waited for used.
 *
 * Throws if the program exits with anything but 0, or takes too long.
 */
export async function runMeasured({ command, cwd, env = {}, output, seconds = 120 }: Command): Promise<Finished> {
  const folder = mkdtempSync(join(tmpdir(), "setpoint-bench-run-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  try {
    const [result, errors] = [join(folder, "result.json"), join(folder, "errors")];
    const printed = output ?? join(folder, "output");
    const wrapper = ["-I", join(import.meta.dirname, "process.py"), result, printed, errors, ...command];
    const running = spawn("python3", wrapper, {
      cwd,
      env: { PATH: process.env.PATH, ...env },
      stdio: ["ignore", "ignore", "inherit"],
      // A group of its own, so that the program ends together with its wrapper.
      detached: true,
    });
    const isLate = await endsLate(running.pid, once(running, "exit"), seconds);
    if (isLate) throw new Error(`took more than ${seconds} s`);
    const { code, ...used } = Used.parse(JSON.parse(readFileSync(result, "utf8")));
    if (code === 0) return { ...used, stdout: output === undefined ? readFileSync(printed, "utf8") : "" };
    const said = `${readFileSync(printed, "utf8")}\n${readFileSync(errors, "utf8")}`.trim().slice(-600);
    throw new Error(`exited with ${code}: ${said}`);
  } finally {
    remove();
    process.removeListener("exit", remove);
  }
}

/** Waits for the end of a process; kills it and its children if they are late. */
async function endsLate(pid: number | undefined, end: Promise<unknown>, seconds: number): Promise<boolean> {
  let isLate = false;
  const killAll = () => {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  };
  const timer = setTimeout(() => {
    isLate = true;
    killAll();
  }, seconds * 1000);
  process.once("exit", killAll);
  try {
    await end;
  } finally {
    clearTimeout(timer);
    process.removeListener("exit", killAll);
  }
  return isLate;
}
