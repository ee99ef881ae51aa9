import type { Command } from "commander";
import type { ReportCommandOptions } from "../commands/report.ts";
import { addOutputOptions } from "../options.ts";
import {
  type ApplyOptions,
  addApplyOptions,
  addConsentOptions,
  addPlanOptions,
  duration,
  type PlanOptions,
} from "../plan-options.ts";
import { addSpreadOptions } from "../queue-options.ts";
import { addReportOption } from "../report-options.ts";
import { addWatchOption } from "../screen-options.ts";
import { examples, type Run } from "./definition.ts";

/** Adds the commands that compare manifests with services. */
export function addPlanCommands(root: Command, run: Run): void {
  addSpreadOptions(addWatchOption(addConsentOptions(addPlanOptions(root.command("plan")))))
    .summary("show what an apply would do; cannot write")
    .description(
      "Reads the live state, compares it with the manifests, and shows the calls that would close the difference.",
    )
    .option("--detailed-exitcode", "exit with 2 if there are differences", false)
    .option("--out <file>", "save the plan for setpoint apply <file>")
    .option("--expires <duration>", "how long the saved plan holds, such as 90m, 12h or 2d (default: 24h)", duration)
    .addHelpText(
      "after",
      examples(
        "setpoint plan",
        "setpoint plan --base origin/main --service review",
        "setpoint plan --base applied --out plan.json",
      ),
    )
    .action(
      (
        options: PlanOptions & { readonly detailedExitcode: boolean; readonly out?: string; readonly expires?: string },
      ) =>
        run(async (stopping, signal) =>
          (await import("../commands/plan.ts")).plan("plan", options, { stopping, signal }),
        ),
    );

  addApplyOptions(addConsentOptions(addPlanOptions(root.command("apply"))))
    .summary("plan, confirm, and make the calls of the plan")
    .description(
      "Plans, shows the plan, asks for confirmation, makes exactly the calls of the plan, and reads their objects again. A saved plan is applied without asking: it must be of the same manifests, and what has changed since is left alone.",
    )
    .argument("[plan]", "a plan that setpoint plan --out has saved")
    .option(
      "--record [git ref]",
      "after a complete apply, move this ref to the manifests' commit (default: refs/setpoint/applied)",
    )
    .addHelpText(
      "after",
      examples("setpoint apply", "setpoint apply plan.json", "setpoint apply --base applied --record --yes"),
    )
    .action((file: string | undefined, options: ApplyOptions) =>
      run(async (stopping, signal) =>
        (await import("../commands/apply.ts")).apply(file, options, { stopping, signal }),
      ),
    );

  addSpreadOptions(addPlanOptions(root.command("drift")))
    .summary("show what changed without a manifest; cannot write")
    .description(
      "Shows what happened to the services, from what the manifests say to what is there, and exits with 2 if they differ.",
    )
    .option("--unmanaged", "also list live objects of the declared kinds that no manifest names", false)
    .addHelpText("after", examples("setpoint drift", "setpoint drift --unmanaged --json"))
    .action((options: PlanOptions & { readonly unmanaged: boolean }) =>
      run(async (stopping, signal) =>
        (await import("../commands/plan.ts")).plan("drift", options, { stopping, signal }),
      ),
    );

  addReportOption(addOutputOptions(root.command("report")))
    .summary("make reports of a plan that was saved; sends no request")
    .description(
      "Makes reports of the plan, the apply or the problems in a file that --json, --report json=<file> or plan --out has written. Prints the text if no --report is given. Sends no request.",
    )
    .argument("<file>", "such as plan.json")
    .option("-w, --workspace <path>", "the workspace that places in manifests belong to", ".")
    .option("--all", "also list what is in sync, and all fields of what is created or deleted", false)
    .addHelpText("after", examples("setpoint report plan.json", "setpoint report plan.json --report html=plan.html"))
    .action((file: string, options: ReportCommandOptions) =>
      run(async () => (await import("../commands/report.ts")).report(file, options)),
    );
}
