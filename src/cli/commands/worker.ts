import { counted } from "../../core/text/words.ts";
import { neutralLine } from "../../reports/neutral.ts";
import { type ExitCode, exitCodes } from "../exit.ts";
import { type Interrupts, type ManifestOptions, openFrom } from "../options/options.ts";
import { type QueueChoice, urlOf } from "../options/queue-options.ts";
import { openOutput } from "../terminal/output.ts";

/** `setpoint worker`: reads for the plans of others until Ctrl-C, which lets the jobs under way finish. */
export async function worker(options: ManifestOptions & QueueChoice, interrupts: Interrupts): Promise<ExitCode> {
  const output = openOutput(options);
  const tell = (line: string) => process.stderr.write(`${neutralLine(line)}\n`);
  const done = await openFrom(options, interrupts).work({
    url: urlOf(options),
    onStarted(services, without) {
      for (const { code, message } of without) tell(`${code}  ${message}`);
      if (output.json) output.print(JSON.stringify({ version: 1, services }));
      else output.print(`Takes jobs for ${services.join(", ")}. Ctrl-C stops it after the jobs under way.`);
    },
    onTrouble: ({ code, message, hint }) => tell(`${code}  ${message} ${hint}`),
    onFailed: (service, why) => tell(`A job for ${service} failed: ${why}`),
  });
  if (!output.json) output.print(`${counted(done.jobs, "job")} done with ${counted(done.reads, "request")}.`);
  return exitCodes.ok;
}
