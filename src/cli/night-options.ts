import { type Command, InvalidArgumentError, Option } from "commander";
import { Day } from "../core/acknowledgement.ts";
import { alternatives } from "../core/words.ts";
import { type FailOn, failures } from "./exit.ts";
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

/** Options of `setpoint history`. */
export interface HistoryOptions extends ManifestOptions {
  readonly history: string;
}

export function addHistoryOptions(command: Command): Command {
  return addManifestOptions(command).requiredOption(
    "--history <folder|git ref>",
    "where plan, drift and apply have kept it, such as refs/setpoint/history",
  );
}

/** Options of what outlasts a run, and of what makes a job red. */
export function addNightOptions(command: Command): Command {
  const named = new Option(
    "--fail-on <verdicts>",
    "what fails the run: pending, drift, conflict, unknown, with commas between them; refusals and mistakes always do",
  ).argParser(verdictsIn);
  return command
    .addOption(named.conflicts("detailedExitcode"))
    .option("--history <folder|git ref>", "keep a line of what the run saw, such as refs/setpoint/history")
    .option("--metrics <file>", "also write OpenMetrics text to this file");
}

function verdictsIn(text: string): readonly FailOn[] {
  return text.split(",").map((word) => {
    const found = failures.find((one) => one === word.trim());
    if (found === undefined)
      throw new InvalidArgumentError(`Expected ${alternatives(failures)}, with commas between them.`);
    return found;
  });
}

function day(text: string): string {
  if (Day.safeParse(text).success) return text;
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
