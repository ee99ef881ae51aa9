import { counted } from "../../core/text/words.ts";
import { readQueueState } from "../../engine/queue/state.ts";
import { renderQueue } from "../../reports/text/queue-text.ts";
import { type ExitCode, exitCodes } from "../exit.ts";
import { type Interrupts, type ManifestOptions, openFrom } from "../options/options.ts";
import { type QueueChoice, urlOf } from "../options/queue-options.ts";
import { notice, noticeProblem } from "../terminal/notice.ts";
import { type OutputOptions, openOutput, say, show } from "../terminal/output.ts";

/** `setpoint queue`: shows what is waiting for workers. */
export async function queue(options: OutputOptions & QueueChoice, { stopping }: Interrupts): Promise<ExitCode> {
  const output = openOutput(options);
  const services = await readQueueState(urlOf(options), process.env, stopping);
  show(output, { services }, () => renderQueue(services, output));
  return exitCodes.ok;
}

/** `setpoint worker`: reads for the plans of others until Ctrl-C, which lets the jobs under way finish. */
export async function worker(options: ManifestOptions & QueueChoice, interrupts: Interrupts): Promise<ExitCode> {
  const output = openOutput(options);
  const done = await openFrom(options, interrupts).work({
    url: urlOf(options),
    onStarted(services, without) {
      without.forEach(noticeProblem);
      if (output.json) output.print(JSON.stringify({ version: 1, services }));
      else say(output, `Takes jobs for ${services.join(", ")}. Ctrl-C stops it after the jobs under way.`);
    },
    onTrouble: noticeProblem,
    onFailed: (service, why) => notice(`A job for ${service} failed: ${why}`),
  });
  if (!output.json) output.print(`${counted(done.jobs, "job")} done with ${counted(done.reads, "request")}.`);
  return exitCodes.ok;
}
