import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { stripVTControlCharacters } from "node:util";
import { type Desk, setpoint } from "./commands.ts";
import { warmScript } from "./warm/warm.ts";

/** Whether this machine has a shell. */
export function hasShell(shell: string): boolean {
  return spawnSync(shell, ["-c", "true"], { stdio: "ignore" }).status === 0;
}

/** Prepares a desk's folder: `./bin` has `setpoint`, and `./completion` is the script of a shell. */
export async function shellDesk(desk: Desk, shell: "bash" | "zsh" | "fish") {
  await desk.write("bin/setpoint", `#!/bin/sh\n${await warmScript()}\n`);
  await chmod(join(desk.path, "bin/setpoint"), 0o755);
  const { out } = await setpoint(["completion", shell]);
  await desk.write("completion", out);
  const env = {
    ...desk.env,
    PATH: `${desk.path}/bin:${process.env.PATH}`,
    HOME: desk.path,
    TERM: "xterm",
    NO_COLOR: "1",
  };
  const run = async (command: readonly string[], typed = "") => {
    const [program = "", ...args] = command;
    const started = spawn(program, args, { cwd: desk.path, env, stdio: ["pipe", "pipe", "ignore"] });
    started.stdin.end(typed);
    const [out] = await Promise.all([text(started.stdout), once(started, "close")]);
    return stripVTControlCharacters(out);
  };
  return {
    run,
    /** Types on a terminal of the shell. */
    type: (command: string, typed: string) => run(["script", "-qec", command, "/dev/null"], typed),
  };
}
