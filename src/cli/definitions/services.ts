import type { Command } from "commander";
import type { SandboxCommandOptions } from "../commands/sandbox.ts";
import {
  addCallOptions,
  addManifestOptions,
  addOutputOptions,
  addQuietOption,
  addRequestOptions,
  type CallOptions,
  type ManifestOptions,
  numberUpTo,
  wholeNumber,
} from "../options/options.ts";
import { addQueueOption, type QueueChoice } from "../options/queue-options.ts";
import type { OutputOptions } from "../terminal/output.ts";
import { type CommandRunner, examples } from "./definition.ts";

/** Adds the commands that work on services without manifests, and those for reading with more than one machine. */
export function addServiceCommands(root: Command, run: CommandRunner): void {
  addCallOptions(root.command("call"))
    .summary("send one operation to a service")
    .description(
      "Sends one operation and prints its answer. Each argument is an option: repeat it for a list, write JSON for an object.",
    )
    .argument("[service]", "name in the workspace")
    .argument("[operation]", "with --help: shows what it does and its arguments")
    .argument("[arguments...]", "its arguments as options, such as --page-id 48213")
    .allowUnknownOption()
    .addHelpText(
      ...examples(
        "setpoint call --list",
        "setpoint call wiki getPage --help",
        "setpoint call wiki getPage --page-id 48213",
      ),
    )
    .action((_service, _operation, _arguments, options: CallOptions, command: Command) => {
      if (options.help && command.args.length === 0) return command.help();
      return run(async (interrupts) =>
        (await import("../commands/call/call.ts")).call(command.args, options, interrupts),
      );
    });

  addRequestOptions(addQuietOption(addManifestOptions(root.command("doctor"))))
    .argument("[service...]", "names in the workspace; by default, all")
    .summary("examine the services; cannot write")
    .description(
      "Checks identity, permissions and health of the services in the workspace, and says how to fix what is wrong.",
    )
    .addHelpText(...examples("setpoint doctor", "setpoint doctor review", "setpoint doctor --quiet --log text"))
    .action((services: readonly string[], options: ManifestOptions) =>
      run(async ({ stopping }) => (await import("../commands/doctor.ts")).doctor(services, options, stopping)),
    );

  addOutputOptions(root.command("sandbox"))
    .summary("serve stand-ins of the services on this machine")
    .description(
      "Serves stateful stand-ins of the services on 127.0.0.1, for trying out manifests and for tests. Prints where they are and how to try them; --json prints it for machines, on one line.",
    )
    .option("--port <number>", "port to listen on; 0 takes a free one", numberUpTo(65_535), 0)
    .option("--world <file>", "start from this state (JSON)")
    .option("--state <folder>", "keep the state in this folder across restarts")
    .option("--latency <ms>", "wait before every answer", wholeNumber, 0)
    .option("--log <file>", "write one JSON line per request")
    .addHelpText(...examples("setpoint sandbox", "setpoint sandbox --port 4780 --state /tmp/sandbox"))
    .action((options: SandboxCommandOptions) =>
      run(async ({ stopping }) => (await import("../commands/sandbox.ts")).sandbox(options, stopping)),
    );

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
