import { readQueueState } from "../../engine/queue/state.ts";
import { renderQueue } from "../../reports/queue-text.ts";
import { type ExitCode, exitCodes } from "../exit.ts";
import { type QueueChoice, urlOf } from "../queue-options.ts";
import { openOutput } from "../terminal/output.ts";

/** Options of `setpoint queue`. */
export interface QueueOptions extends QueueChoice {
  readonly json: boolean;
  readonly color: boolean;
}

/** `setpoint queue`: what waits for workers. */
export async function queue(options: QueueOptions): Promise<ExitCode> {
  const output = openOutput(options);
  const services = await readQueueState(urlOf(options), process.env);
  output.print(output.json ? JSON.stringify({ version: 1, services }, null, 2) : renderQueue(services, output));
  return exitCodes.ok;
}
