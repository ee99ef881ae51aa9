import { Argument, type Command } from "commander";
import type { Shell } from "../completion/scripts.ts";
import { addOutputOptions } from "../options/options.ts";
import type { OutputOptions } from "../terminal/output.ts";
import { type CommandRunner, examples } from "./definition.ts";

const shells: readonly Shell[] = ["bash", "zsh", "fish"];

/** Adds the commands that explain setpoint itself. */
export function addReferenceCommands(root: Command, run: CommandRunner): void {
  addOutputOptions(root.command("kinds"))
    .summary("list what manifests can declare")
    .description("Lists every kind that a manifest can declare, by service. Sends no request.")
    .addHelpText(...examples("setpoint kinds", "setpoint kinds --json"))
    .action((options: OutputOptions) => run(async () => (await import("../commands/kinds.ts")).listKinds(options)));

  addOutputOptions(root.command("explain"))
    .summary("show the fields of a kind, or what a code means")
    .description(
      "Shows the fields of a kind with their types and defaults, its requests, notes and an example; or why a problem happens and what to do about it. Sends no request.",
    )
    .argument(
      "<subject>",
      "a kind, one of its fields such as AccessRule.rules.group, a code such as SP1013, or problems",
    )
    .addHelpText(
      ...examples("setpoint explain BranchLock", "setpoint explain BranchLock.permissions", "setpoint explain SP1013"),
    )
    .action((subject: string, options: OutputOptions) =>
      run(async () => (await import("../commands/explain.ts")).explain(subject, options)),
    );

  root
    .command("completion")
    .summary("complete words in bash, zsh or fish")
    .description(
      "Prints a script with which the shell completes commands, options and their values: kinds, and the services and addresses of the workspace. Sends no request.",
    )
    .addArgument(new Argument("<shell>", "the shell").choices(shells))
    .argument("[words...]", "the words typed so far: prints what can follow")
    .addHelpText(
      ...examples(
        "setpoint completion bash >> ~/.bashrc",
        "setpoint completion zsh > ~/.zfunc/_setpoint",
        "setpoint completion fish > ~/.config/fish/completions/setpoint.fish",
      ),
    )
    .action((shell: Shell, words: readonly string[]) =>
      run(async () => (await import("../commands/completion.ts")).completion(root, shell, words)),
    );
}
