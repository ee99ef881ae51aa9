import type { Command } from "commander";
import { addManifestOptions, addOutputOptions, type ManifestOptions } from "../options/options.ts";
import { addQueueOption, type QueueChoice } from "../options/queue-options.ts";
import { addRequestOptions } from "../options/screen-options.ts";
import type { OutputOptions } from "../terminal/output.ts";
import { type CommandRunner, examples } from "./definition.ts";

/** Adds the commands for reading with more than one machine. */
export function addQueueCommands(root: Command, run: CommandRunner): void {
  addQueueOption(addRequestOptions(addManifestOptions(root.command("worker"))))
    .summary("read services for plan --queue and drift --queue; cannot write")
    .description(
      "Reads what plan --queue and drift --queue request, from the services that the environment has credentials for, until it is stopped. Needs the workspace file but no manifests. Cannot write.",
    )
    .addHelpText(
      ...examples("setpoint worker --queue redis://queue.example.com:6379", "setpoint worker --queue --log json"),
    )
    .action((options: ManifestOptions & QueueChoice) =>
      run(async (interrupts) => (await import("../commands/queue.ts")).worker(options, interrupts)),
    );

  addQueueOption(addOutputOptions(root.command("queue")))
    .summary("show what is waiting for workers")
    .description(
      "Shows what a queue has for each service: workers, and jobs that are waiting, under way, done or failed.",
    )
    .addHelpText(...examples("setpoint queue --queue redis://queue.example.com:6379", "setpoint queue --json"))
    .action((options: OutputOptions & QueueChoice) =>
      run(async (interrupts) => (await import("../commands/queue.ts")).queue(options, interrupts)),
    );
}
