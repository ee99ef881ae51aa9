import type { Command } from "commander";
import type { HistoryOptions } from "../commands/past/history.ts";
import type { RevertOptions } from "../commands/past/revert.ts";
import { addManifestOptions, addQuietOption, addRequestOptions, type ManifestOptions } from "../options/options.ts";
import { addCallingOptions, addConsentOptions } from "../options/plan-options.ts";
import { type CommandRunner, examples } from "./definition.ts";

/** Adds the commands about earlier runs. */
export function addPastCommands(root: Command, run: CommandRunner): void {
  addManifestOptions(root.command("runs"))
    .summary("list the runs that left a journal; sends no request")
    .description(
      "Lists the applies whose journals are in .setpoint/runs, the newest first: who ran them, when, and the results of the changes.",
    )
    .argument("[run]", "show the result of each change of this run")
    .addHelpText(...examples("setpoint runs", "setpoint runs 2027-01-13T180400Z-4f1c"))
    .action((name: string | undefined, options: ManifestOptions) =>
      run(async () => (await import("../commands/past/runs.ts")).runs(name, options)),
    );

  addManifestOptions(root.command("history"))
    .summary("show what earlier runs saw, and since when; sends no request")
    .description(
      "Shows what plan, drift and apply have kept with --history: what the last run found, since when and by whom, then the counts of each run.",
    )
    .requiredOption(
      "--history <folder|git ref>",
      "where plan, drift and apply have kept it, such as refs/setpoint/history",
    )
    .addHelpText(
      ...examples("setpoint history --history refs/setpoint/history", "setpoint history --history history/ --json"),
    )
    .action((options: HistoryOptions) =>
      run(async () => (await import("../commands/past/history.ts")).history(options)),
    );

  addCallingOptions(addConsentOptions(addRequestOptions(addQuietOption(addManifestOptions(root.command("revert"))))))
    .summary("plan how to undo a run, confirm, and make the calls")
    .description(
      "Plans how to bring back the values that a run saw before its changes, shows the plan, asks for confirmation, and makes its calls. Values that have changed since, and changes that only a person can undo, are named and left alone. Manifests are not changed.",
    )
    .argument("<run>", "a run that `setpoint runs` lists")
    .option("--dry-run", "show the plan and do nothing", false)
    .option("--no-deletes", "refuse a plan that deletes or is irreversible")
    .option("--all", "list every field, line and event", false)
    .addHelpText(
      ...examples("setpoint revert 2027-01-13T180400Z-4f1c --dry-run", "setpoint revert 2027-01-13T180400Z-4f1c --yes"),
    )
    .action((name: string, options: RevertOptions) =>
      run(async (interrupts) => (await import("../commands/past/revert.ts")).revert(name, options, interrupts)),
    );
}
