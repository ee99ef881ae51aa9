import { readQueueState } from "../../engine/queue/state.ts";
import { renderQueue } from "../../reports/text/queue-text.ts";
import { type ExitCode, exitCodes } from "../exit.ts";
import type { Interrupts } from "../options/options.ts";
import { type QueueChoice, urlOf } from "../options/queue-options.ts";
import { type OutputOptions, openOutput } from "../terminal/output.ts";

/** `setpoint queue`: shows what is waiting for workers. */
export async function queue(options: OutputOptions & QueueChoice, { stopping }: Interrupts): Promise<ExitCode> {
  const output = openOutput(options);
  const services = await readQueueState(urlOf(options), process.env, stopping);
  output.print(output.json ? JSON.stringify({ version: 1, services }, null, 2) : renderQueue(services, output));
  return exitCodes.ok;
}
