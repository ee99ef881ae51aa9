import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { findProgram, whyMissing } from "../harness/programs.ts";
import { concurrency } from "../harness/workspace.ts";
import type { Peer } from "./peer.ts";

const python = ["python3", "SETPOINT_BENCH_PYTHON"] as const;

/** A loop with `requests` and a pool of threads, as octoDNS has it. */
export const pythonLoop: Peer = {
  name: "Python loop",
  whyMissing() {
    const missing = whyMissing(...python);
    if (missing !== undefined) return missing;
    const imported = spawnSync(findProgram(...python) ?? "", ["-c", "import requests"]);
    return imported.status === 0 ? undefined : "this Python has no requests, and SETPOINT_BENCH_PYTHON names no other";
  },
  version: () => [findProgram(...python) ?? "", "--version"],
  prepare(context, { url, repositories, cwd }) {
    const run = (command: string) =>
      context.run({
        command: [
          findProgram(...python) ?? "",
          join(import.meta.dirname, "loop.py"),
          command,
          url,
          String(repositories),
          String(concurrency),
        ],
        cwd,
      });
    return { forget: () => undefined, plan: () => run("plan"), apply: () => run("apply") };
  },
};
