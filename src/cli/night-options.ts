import { type Command, InvalidArgumentError } from "commander";
import { z } from "zod";
import { addManifestOptions, append, type ManifestOptions } from "./options.ts";

/** Options of `setpoint ack`, whose arguments are addresses. */
export interface AckOptions extends ManifestOptions {
  readonly until: string;
  readonly reason: string;
  readonly field: readonly string[];
  readonly by?: string;
  readonly dryRun: boolean;
}

export function addAckOptions(command: Command): Command {
  return addManifestOptions(command)
    .requiredOption("--until <day>", "the last day, in UTC, such as 2027-01-20", day)
    .requiredOption("--reason <text>", "why the difference is left alone", someText)
    .option("--field <name>", "acknowledge this field only, not the whole resource (repeatable)", append, [])
    .option("--by <name>", "who acknowledges it (default: whom git knows)", someText)
    .option("--dry-run", "show the diff and write nothing", false);
}

function day(text: string): string {
  if (z.iso.date().safeParse(text).success) return text;
  throw new InvalidArgumentError("Expected a day such as 2027-01-20.");
}

function someText(text: string): string {
  if (text.trim() !== "") return text;
  throw new InvalidArgumentError("Expected a text.");
}

/** The options of a run that select the workspace and its values, as another command takes them. */
export function givenWords({
  workspace,
  environment,
  var: variables,
  values,
  trust,
}: ManifestOptions): readonly string[] {
  return [
    ...(workspace === "." ? [] : ["--workspace", workspace]),
    ...(environment === undefined ? [] : ["--environment", environment]),
    ...Object.entries(variables).flatMap(([name, value]) => ["--var", `${name}=${value}`]),
    ...values.flatMap((file) => ["--values", file]),
    ...(trust === undefined ? [] : ["--trust", trust]),
  ];
}
