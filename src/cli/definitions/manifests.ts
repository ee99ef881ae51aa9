import type { Command } from "commander";
import type { ImportOptions } from "../commands/import.ts";
import { addInitOptions, type InitOptions } from "../init-options.ts";
import { type AckOptions, addAckOptions } from "../night-options.ts";
import { type AdoptOptions, addAdoptOptions, addManifestOptions, append, type ManifestOptions } from "../options.ts";
import { addReportOption, type ReportOptions } from "../report-options.ts";
import { example, type Run } from "./definition.ts";

/** Adds the commands that check and write manifests. */
export function addManifestCommands(root: Command, run: Run): void {
  addInitOptions(root.command("init"))
    .summary("make a workspace by asking, or with options")
    .description(
      "Makes a workspace: which services there are, what git ignores, what editors need. Says which variables to set, and whether the services are there. Overwrites nothing.",
    )
    .argument("[folder]", "folder of the workspace", ".")
    .addHelpText("after", example("setpoint init --service review=gerrit:https://review.example.com"))
    .action((folder: string, options: InitOptions) =>
      run(async (signal) => (await import("../commands/init.ts")).init(folder, options, signal)),
    );

  addReportOption(addManifestOptions(root.command("validate")))
    .summary("check the manifests; sends no request")
    .description("Checks the workspace file and all manifests, and reports every mistake. Sends no request.")
    .addHelpText("after", example("setpoint validate --workspace tools/"))
    .action((options: ManifestOptions & ReportOptions) =>
      run(async () => (await import("../commands/validate.ts")).validate(options)),
    );

  addManifestOptions(root.command("import"))
    .summary("write manifests of what a service has; cannot write to it")
    .description(
      "Writes manifests of what a service has and no manifest declares yet, one file per kind. Overwrites nothing.",
    )
    .argument("<service>", "name in the workspace")
    .option("--kind <Kind>", "import one kind only (repeatable)", append, [])
    .option("--out <folder>", "folder of the files, from the workspace's (default: manifests/<service>)")
    .addHelpText("after", example("setpoint import review --kind AccessRule"))
    .action((service: string, options: ImportOptions) =>
      run(async (signal) => (await import("../commands/import.ts")).importManifests(service, options, signal)),
    );

  addAdoptOptions(root.command("adopt"))
    .summary("write drifted values into the manifests")
    .description(
      "Writes live values into the manifests in place; the rest of each file stays byte for byte. Cannot write to a service.",
    )
    .argument("[address...]", "adopt these resources only; * is a wildcard")
    .addHelpText("after", example("setpoint adopt wiki/WikiPage/48213 --dry-run"))
    .action((addresses: readonly string[], options: AdoptOptions) =>
      run(async (signal) => (await import("../commands/adopt.ts")).adopt(addresses, options, signal)),
    );

  addAckOptions(root.command("ack"))
    .summary("write into manifests that a difference is left alone until a day")
    .description(
      "Writes an acknowledgement into the manifests of resources: until its day is over, no plan closes a difference there and drift does not report it. Sends no request.",
    )
    .argument("<address...>", "the resources; * is a wildcard")
    .addHelpText("after", example('setpoint ack wiki/WikiPage/48213 --until 2027-01-20 --reason "Under review"'))
    .action((addresses: readonly string[], options: AckOptions) =>
      run(async () => (await import("../commands/ack.ts")).ack(addresses, options)),
    );
}
