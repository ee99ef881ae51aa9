import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serviceOfRole } from "../../clients/find-service.ts";
import { type ExitCode, exitCodes } from "../exit.ts";
import { type OutputOptions, openOutput } from "../terminal/output.ts";
import { renderServed } from "./sandbox-text.ts";

/** Options of `setpoint sandbox`. */
export interface SandboxCommandOptions extends OutputOptions {
  readonly port: number;
  readonly world?: string;
  readonly state?: string;
  readonly latency: number;
  readonly log?: string;
}

/**
 * `setpoint sandbox`: prints what it serves and where, then serves until it is interrupted. People also get the commands to try
 * it; `--json` prints one object on one line.
 */
export async function sandbox(options: SandboxCommandOptions, signal: AbortSignal): Promise<ExitCode> {
  const { administrator, environmentFor, netrcFor, parseWorld, startSandbox } = await import(
    "../../sandbox/sandbox.ts"
  );
  const { world: file, state: stateDir, json, color, ...rest } = options;
  const output = openOutput({ json, color });
  const world = file === undefined ? undefined : parseWorld(await readFile(file, "utf8"), file);
  const running = await startSandbox({
    ...rest,
    ...(world === undefined ? {} : { world }),
    ...(stateDir === undefined ? {} : { stateDir }),
  });
  const { url } = running;
  const { accounts } = running.state();
  const account = accounts.find(({ username }) => username === administrator.username) ?? accounts[0] ?? administrator;
  const folder = json ? undefined : await mkdtemp(join(tmpdir(), "setpoint-sandbox-"));
  try {
    if (folder === undefined) {
      output.print(JSON.stringify({ url, services: running.services, environment: environmentFor(url, account) }));
    } else {
      const netrc = join(folder, "netrc");
      await writeFile(netrc, netrcFor(url, account), { mode: 0o600 });
      const services = Object.entries(running.services).map(([name, at]) => {
        const { types, roots } = serviceOfRole(name);
        return { name, type: types.join(), url: at.url, isWhole: roots === undefined };
      });
      output.print(renderServed({ url, services, netrc, account }, output));
    }
    if (!signal.aborted) await once(signal, "abort");
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    await running.close();
  }
  return exitCodes.ok;
}
