import { readFile } from "node:fs/promises";
import { type ExitCode, exitCodes } from "../exit.ts";

/** Options of `setpoint sandbox`. */
export interface SandboxOptions {
  readonly port: number;
  readonly world?: string;
  readonly state?: string;
  readonly latency: number;
  readonly log?: string;
}

/** `setpoint sandbox`: serves until it is interrupted. The first line says where, as one JSON object. */
export async function sandbox(options: SandboxOptions, signal: AbortSignal): Promise<ExitCode> {
  const { parseWorld, startSandbox } = await import("../../sandbox/sandbox.ts");
  const { world: file, state: stateDir, ...rest } = options;
  const world = file === undefined ? undefined : parseWorld(await readFile(file, "utf8"), file);
  const running = await startSandbox({
    ...rest,
    ...(world === undefined ? {} : { world }),
    ...(stateDir === undefined ? {} : { stateDir }),
  });
  process.stdout.write(`${JSON.stringify({ url: running.url, services: running.services })}\n`);
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  await running.close();
  return exitCodes.ok;
}
