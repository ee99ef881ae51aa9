import type { Command } from "commander";
import { Duration } from "../../core/text/duration.ts";
import type { MergeOptions } from "../commands/plans/merge.ts";
import type { ShowOptions } from "../commands/plans/plan.ts";
import type { ReportCommandOptions } from "../commands/plans/report.ts";
import {
  acceptedBy,
  addManifestOptions,
  addOutputOptions,
  addQuietOption,
  addWatchOption,
} from "../options/options.ts";
import {
  type ApplyCommandOptions,
  addCallingOptions,
  addConsentOptions,
  addPlanOptions,
  addShardOption,
} from "../options/plan-options.ts";
import { addSpreadOptions } from "../options/queue-options.ts";
import { addNightOptions, addPublishOptions, addReportOption } from "../options/result-options.ts";
import { type CommandRunner, examples } from "./definition.ts";

/** Adds the commands that compare manifests with services. */
export function addPlanCommands(root: Command, run: CommandRunner): void {
  addSpreadOptions(addShardOption(addWatchOption(addConsentOptions(addPlanOptions(root.command("plan"))))))
    .summary("show what an apply would do; cannot write")
    .description(
      "Reads the live state, compares it with the manifests, and shows the calls that would close the difference.",
    )
    .option("--detailed-exitcode", "exit with 2 if there are differences", false)
    .option("--affected", "look only at what changed since --base and what depends on it, not at the rest")
    .option("--out <file>", "save the plan for setpoint apply <file>")
    .option(
      "--expires <duration>",
      "how long the saved plan can be applied, such as 90m, 12h or 2d (default: 24h)",
      acceptedBy(Duration),
    )
    .addHelpText(
      ...examples(
        "setpoint plan",
        "setpoint plan --base origin/main --affected",
        "setpoint plan --base applied --out plan.json",
      ),
    )
    .action((options: ShowOptions) =>
      run(async (interrupts) => (await import("../commands/plans/plan.ts")).plan("plan", options, interrupts)),
    );

  addCallingOptions(addConsentOptions(addPlanOptions(root.command("apply"))))
    .summary("plan, confirm, and make the calls of the plan")
    .description(
      "Plans, shows the plan, asks for confirmation, makes exactly the calls of the plan, and reads their objects again. A saved plan is applied without asking: it must be a plan of the same manifests, and anything that has changed since is left alone.",
    )
    .argument("[plan]", "a plan that setpoint plan --out has saved")
    .option(
      "--record [git ref]",
      "after a complete apply, move this ref to the manifests' commit (default: refs/setpoint/applied)",
    )
    .option("--allow-exec", "give new secrets to the commands that manifests name", false)
    .addHelpText(
      ...examples("setpoint apply", "setpoint apply plan.json", "setpoint apply --base applied --record --yes"),
    )
    .action((file: string | undefined, options: ApplyCommandOptions) =>
      run(async (interrupts) => (await import("../commands/plans/apply.ts")).apply(file, options, interrupts)),
    );

  addSpreadOptions(addShardOption(addPlanOptions(root.command("drift"))))
    .summary("show what changed without a manifest; cannot write")
    .description(
      "Shows what happened to the services, from the manifests' values to the live ones, and exits with 2 if they differ.",
    )
    .option("--unmanaged", "also list live objects of the declared kinds that no manifest names", false)
    .addHelpText(
      ...examples(
        "setpoint drift",
        "setpoint drift --unmanaged --json",
        "setpoint drift --shard 2/8 --report json=2.json",
      ),
    )
    .action((options: ShowOptions) =>
      run(async (interrupts) => (await import("../commands/plans/plan.ts")).plan("drift", options, interrupts)),
    );

  const report = addReportOption(addOutputOptions(root.command("report")))
    .summary("make reports from a saved result; sends no request")
    .description(
      "Makes reports from the plan, the apply or the problems in a file that --json, --report json=<file> or plan --out has written. Prints text if no --report is given. Sends no request.",
    )
    .argument("<file>", "such as plan.json")
    .option("-w, --workspace <path>", "the workspace whose manifests the file names", ".")
    .option("--all", "also list what is in sync, and every field, line and event", false)
    .addHelpText(...examples("setpoint report plan.json", "setpoint report plan.json --report html=plan.html"))
    .action((file: string, options: ReportCommandOptions) =>
      run(async () => (await import("../commands/plans/report.ts")).report(file, options)),
    );

  addPublishOptions(addNightOptions(addReportOption(addQuietOption(addManifestOptions(report.command("merge"))))))
    .summary("make one report from all shards; reads no service")
    .description(
      "Makes one plan from the files that plan or drift --shard i/n --report json=<file> has written, judges it by the guards, and exits with its exit code. What a missing shard would have looked at is unknown. Sends no request except for --publish.",
    )
    .argument("<files...>", "one from each shard, such as shard-*.json")
    .option("--all", "also list what is in sync, and every field, line and event", false)
    .option("--detailed-exitcode", "exit with 2 if there are differences; always on for drift", false)
    .addHelpText(
      ...examples("setpoint report merge shard-*.json", "setpoint report merge shard-*.json --report html=drift.html"),
    )
    .action((files: readonly string[], options: MergeOptions) =>
      run(async (interrupts) => (await import("../commands/plans/merge.ts")).merge(files, options, interrupts)),
    );
}
