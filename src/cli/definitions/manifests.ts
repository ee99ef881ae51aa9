import { type Command, Option } from "commander";
import { Day } from "../../core/acknowledgement.ts";
import type { AckOptions } from "../commands/manifests/ack.ts";
import type { AdoptOptions } from "../commands/manifests/adopt.ts";
import type { FmtOptions } from "../commands/manifests/fmt.ts";
import type { GraphOptions } from "../commands/manifests/graph.ts";
import type { ImportOptions } from "../commands/manifests/import.ts";
import type { InitOptions } from "../commands/manifests/init.ts";
import {
  acceptedBy,
  addManifestOptions,
  addNarrowing,
  addOutputOptions,
  addQuietOption,
  addRequestOptions,
  addWatchOption,
  append,
  type ManifestOptions,
  ofForm,
} from "../options/options.ts";
import { addReportOption, type ReportOptions } from "../options/result-options.ts";
import { type CommandRunner, examples } from "./definition.ts";

/** Not an ellipsis either, which stands for a reason in the command that drift prints. */
const someText = ofForm(/[\p{L}\p{N}]/u, "some text");

/** Adds the commands that check and write manifests. */
export function addManifestCommands(root: Command, run: CommandRunner): void {
  const init = root
    .command("init")
    .option(
      "--service <name=product:address>",
      "a service of the workspace, instead of asking for them (repeatable)",
      append,
      [],
    )
    .option("--import", "import what the services have, if their credentials are set", false)
    .option("-y, --yes", "do not ask", false);
  addOutputOptions(init)
    .summary("make a workspace from questions or options")
    .description(
      "Creates a workspace file, .gitignore entries and editor settings. Says which variables to set, and whether the services can be reached. Overwrites nothing.",
    )
    .argument("[folder]", "folder of the workspace", ".")
    .addHelpText(...examples("setpoint init", "setpoint init --yes --service review=gerrit:https://review.example.com"))
    .action((folder: string, options: InitOptions) =>
      run(async ({ stopping }) => (await import("../commands/manifests/init.ts")).init(folder, options, stopping)),
    );

  addWatchOption(addReportOption(addQuietOption(addManifestOptions(root.command("validate")))))
    .summary("check the manifests; sends no request")
    .description("Checks the workspace file and all manifests, and reports every error. Sends no request.")
    .addHelpText(...examples("setpoint validate", "setpoint validate --workspace tools/ --watch"))
    .action((options: ManifestOptions & ReportOptions) =>
      run(async ({ stopping }) => (await import("../commands/manifests/validate.ts")).validate(options, stopping)),
    );

  addManifestOptions(root.command("fmt"))
    .summary("order and format manifests; sends no request")
    .description(
      "Puts the fields of manifests into canonical order and form. Keeps values and comments, and leaves JSON and files with errors alone. Sends no request.",
    )
    .argument("[path...]", "files and folders; by default, all manifests of the workspace")
    .option("--check", "write nothing, and exit with 1 if a file would change", false)
    .addHelpText(...examples("setpoint fmt", "setpoint fmt manifests/locks.yaml --check"))
    .action((paths: readonly string[], options: FmtOptions) =>
      run(async () => (await import("../commands/manifests/fmt.ts")).fmt(paths, options)),
    );

  addNarrowing(addManifestOptions(root.command("graph")))
    .summary("draw what the manifests declare; sends no request")
    .description(
      "Prints the declared resources by service, and what refers to what, for Mermaid or Graphviz. Sends no request.",
    )
    .addOption(
      new Option("--format <name>", "mermaid or dot (Graphviz)").choices(["mermaid", "dot"]).default("mermaid"),
    )
    .addHelpText(...examples("setpoint graph", "setpoint graph --service review --format dot"))
    .action((options: GraphOptions) =>
      run(async () => (await import("../commands/manifests/graph.ts")).graph(options)),
    );

  addRequestOptions(addQuietOption(addManifestOptions(root.command("import"))))
    .summary("write manifests for what a service has; cannot write to it")
    .description(
      "Writes manifests for what a service has and no manifest declares yet, one file per kind or several. Overwrites nothing.",
    )
    .argument("<service>", "name in the workspace")
    .option("--kind <Kind>", "import one kind only (repeatable)", append, [])
    .option("--out <folder>", "folder for the files, relative to the workspace's (default: manifests/<service>)")
    .addHelpText(...examples("setpoint import review --kind AccessRule", "setpoint import wiki --out manifests/pages"))
    .action((service: string, options: ImportOptions) =>
      run(async ({ stopping }) =>
        (await import("../commands/manifests/import.ts")).importManifests(service, options, stopping),
      ),
    );

  addNarrowing(addRequestOptions(addQuietOption(addManifestOptions(root.command("adopt")))))
    .summary("write drifted values into the manifests")
    .description(
      "Writes live values into the manifests in place; the rest of each file is left unchanged, byte for byte. Cannot write to a service.",
    )
    .argument("[address...]", "adopt these resources only; * is a wildcard")
    .option("--dry-run", "show the diff and write nothing", false)
    .option("-y, --yes", "do not ask", false)
    .addHelpText(...examples("setpoint adopt --dry-run", "setpoint adopt wiki/WikiPage/48213 --yes"))
    .action((addresses: readonly string[], options: AdoptOptions) =>
      run(async ({ stopping }) => (await import("../commands/manifests/adopt.ts")).adopt(addresses, options, stopping)),
    );

  addManifestOptions(root.command("ack"))
    .summary("leave a difference alone until a given day; sends no request")
    .description(
      "Writes an acknowledgement into the manifests of resources: through the given day, plans leave the difference open and drift does not report it. Sends no request.",
    )
    .argument("<address...>", "the resources; * is a wildcard")
    .requiredOption("--until <day>", "the last day, in UTC, such as 2027-01-20", acceptedBy(Day))
    .requiredOption("--reason <text>", "why the difference is left alone", someText)
    .option("--field <name>", "acknowledge this field only, not the whole resource (repeatable)", append, [])
    .option("--by <name>", "who acknowledges it (default: the git user)", someText)
    .option("--dry-run", "show the diff and write nothing", false)
    .addHelpText(
      ...examples(
        'setpoint ack wiki/WikiPage/48213 --until 2027-01-20 --reason "Under review"',
        'setpoint ack "wiki/*" --until 2027-01-20 --reason "Migration" --dry-run',
      ),
    )
    .action((addresses: readonly string[], options: AckOptions) =>
      run(async () => (await import("../commands/manifests/ack.ts")).ack(addresses, options)),
    );
}
