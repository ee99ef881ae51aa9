import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serviceOfRole } from "../../clients/find-service.ts";
import type { NewService } from "../../manifests/new-workspace/new-service.ts";
import { pad, widest, wrap } from "../../reports/text/layout.ts";
import { type ScreenOptions, styleOf } from "../../reports/text/style.ts";
import { type ExitCode, exitCodes } from "../exit.ts";
import { type OutputOptions, openOutput } from "../terminal/output.ts";

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
  // What the system says about a folder names no file.
  const unreadable = (error: Error) => Promise.reject(Object.assign(error, { path: file }));
  const world = file === undefined ? undefined : parseWorld(await readFile(file, "utf8").catch(unreadable), file);
  const running = await startSandbox({ ...rest, world, stateDir });
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

/** A service of the sandbox, as a workspace declares it. */
interface ServedService extends NewService {
  /** Whether its one address is enough to reach all of it. */
  readonly isWhole: boolean;
}

/** Renders what the sandbox serves, and how to try it. */
function renderServed(
  served: {
    readonly url: string;
    readonly services: readonly ServedService[];
    /** A netrc file with the account's credentials for every service. */
    readonly netrc: string;
    readonly account: { readonly username: string; readonly secret: string };
  },
  options: ScreenOptions,
): string {
  const { paint, width } = styleOf(options);
  const { url, services, netrc, account } = served;
  const names = widest(services, ({ name }) => name);
  const types = widest(services, ({ type }) => type);
  const tried = services.filter(({ isWhole }) => isWhole);
  const words = tried.map(({ name, type, url: at }) => `    --service ${name}=${type}:${at}`);
  return [
    ...wrap("The sandbox stands in for a company's services on this machine:", width),
    "",
    ...services.map(({ name, type, url: at }) => `  ${pad(name, names)}  ${pad(type, types)}  ${paint("bold", at)}`),
    "",
    ...wrap(
      `On every service, the user ${account.username} has the password or token ${account.secret}. In another terminal:`,
      width,
    ),
    "",
    `  export NETRC=${netrc}`,
    `  setpoint init try --yes --import \\`,
    words.join(" \\\n"),
    "  cd try && setpoint plan",
    "",
    ...wrap(`${url}/_sandbox/requests lists the requests. Ctrl-C stops the sandbox.`, width),
  ].join("\n");
}
