import type { Command } from "commander";
import { addHistoryOptions, type HistoryOptions } from "../night-options.ts";
import { addManifestOptions, addRevertOptions, type ManifestOptions, type RevertOptions } from "../options.ts";
import { example, type Run } from "./definition.ts";

/** Adds the commands about what was done before. */
export function addPastCommands(root: Command, run: Run): void {
  addManifestOptions(root.command("runs"))
    .summary("list the runs that left a journal; sends no request")
    .description(
      "Lists the applies whose journals are in .setpoint/runs, the newest first: who, when, and what became of the changes.",
    )
    .argument("[run]", "show what became of each change of this run")
    .addHelpText("after", example("setpoint runs 2027-01-13T180400Z-4f1c"))
    .action((name: string | undefined, options: ManifestOptions) =>
      run(async () => (await import("../commands/runs.ts")).runs(name, options)),
    );

  addHistoryOptions(root.command("history"))
    .summary("show what earlier runs saw, and since when; sends no request")
    .description(
      "Shows what plan, drift and apply have kept with --history: what the last run found, since when and by whom, then the counts of each run.",
    )
    .addHelpText("after", example("setpoint history --history refs/setpoint/history"))
    .action((options: HistoryOptions) => run(async () => (await import("../commands/history.ts")).history(options)));

  addRevertOptions(root.command("revert"))
    .summary("plan the way back from a run, confirm, and make its calls")
    .description(
      "Plans what brings back the values that a run saw before its changes, shows the plan, asks for confirmation, and makes its calls. What has changed since, and what only a person can take back, is named and left alone. Manifests are not changed.",
    )
    .argument("<run>", "a run that `setpoint runs` lists")
    .addHelpText("after", example("setpoint revert 2027-01-13T180400Z-4f1c --dry-run"))
    .action((name: string, options: RevertOptions) =>
      run(async (stopping, signal) =>
        (await import("../commands/revert.ts")).revert(name, options, { stopping, signal }),
      ),
    );
}
