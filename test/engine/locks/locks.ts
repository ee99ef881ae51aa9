import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Service } from "../../../src/core/service.ts";
import { diskLocks, type Waiting } from "../../../src/engine/locks/locks.ts";
import { temporaryFolder } from "../../support/commands.ts";

export const claim = { run: "r1", command: "apply", workspace: "/srv/tools", since: "2026-11-22T08:00:00.000Z" };
export const atOnce: Waiting = {
  wait: 0,
  clock: { now: () => 0, wait: async () => {} },
  signal: new AbortController().signal,
};

export function service(name: string, url = `https://${name}.example/base`): Service {
  const limits = { concurrency: 1, timeout: 1, attempts: 1 };
  return { name, role: "review", type: "gerrit", url, wire: "product", limits };
}

/** Locks in a folder of their own. */
export async function openState() {
  const state = await temporaryFolder();
  const folder = join(state.path, "setpoint/locks");
  return {
    folder,
    locks: diskLocks({ XDG_STATE_HOME: state.path }),
    files: () => readdirSync(folder).filter((name) => !name.endsWith(".last")),
    [Symbol.asyncDispose]: () => state[Symbol.asyncDispose](),
  };
}
