import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Context } from "./case.ts";
import { type Fake, startFake } from "./fake.ts";
import { runMeasured } from "./process.ts";

const root = join(import.meta.dirname, "../..");

/** The command as the package has it. */
const program = join(root, "bin/setpoint.js");

/** Gives a case what it works with, and takes it away afterwards. */
export async function withContext<Result>(
  isQuick: boolean,
  work: (context: Context) => Promise<Result>,
): Promise<Result> {
  // Programs say where a folder really is, which is not always where it was made.
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "setpoint-bench-")));
  const home = join(folder, "home");
  mkdirSync(home);
  const fakes: Fake[] = [];
  const context: Context = {
    isQuick,
    folder,
    run: runMeasured,
    setpoint: (args, { cwd, env, output }) =>
      runMeasured({
        command: [process.execPath, program, ...args],
        cwd,
        env: { HOME: home, NO_COLOR: "1", ...env },
        ...(output === undefined ? {} : { output }),
      }),
    async fake(path, ...options) {
      const started = await startFake(join(root, path), options);
      fakes.push(started);
      return started;
    },
  };
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  try {
    return await work(context);
  } finally {
    await Promise.all(fakes.map((fake) => fake.close()));
    remove();
    process.removeListener("exit", remove);
  }
}
