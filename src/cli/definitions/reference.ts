import type { Command } from "commander";
import type { ReferenceOptions } from "../commands/kinds.ts";
import { addOutputOptions } from "../options.ts";
import { example, type Run } from "./definition.ts";

/** Adds the commands that explain setpoint itself. */
export function addReferenceCommands(root: Command, run: Run): void {
  addOutputOptions(root.command("kinds"))
    .summary("list what manifests can declare")
    .description("Lists every kind that a manifest can declare, by service. Sends no request.")
    .addHelpText("after", example("setpoint kinds --json"))
    .action((options: ReferenceOptions) => run(async () => (await import("../commands/kinds.ts")).kinds(options)));

  addOutputOptions(root.command("explain"))
    .summary("show the fields of a kind, or what a code means")
    .description(
      "Shows the fields of a kind with their types and defaults, its requests, notes and an example; or why a problem happens and what to do about it. Sends no request.",
    )
    .argument(
      "<subject>",
      "a kind, one of its fields such as AccessRule.rules.group, a code such as SP1013, or problems",
    )
    .addHelpText("after", example("setpoint explain BranchLock.permissions"))
    .action((subject: string, options: ReferenceOptions) =>
      run(async () => (await import("../commands/explain.ts")).explain(subject, options)),
    );
}
