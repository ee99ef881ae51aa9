import { type Command, InvalidArgumentError, Option } from "commander";
import { alternatives } from "../../core/text/words.ts";
import { type FailOn, failures } from "../exit.ts";

/** Adds the options for what outlasts a run, and for what makes a job fail. */
export function addNightOptions(command: Command): Command {
  const named = new Option(
    "--fail-on <verdicts>",
    "what fails the run: pending, drift, conflict, unknown, separated by commas; refusals and errors always do",
  ).argParser(verdictsIn);
  return command
    .addOption(named.conflicts("detailedExitcode"))
    .option("--history <folder|git ref>", "keep a line about what the run saw here, such as refs/setpoint/history")
    .option("--metrics <file>", "also write OpenMetrics text to this file");
}

function verdictsIn(text: string): readonly FailOn[] {
  return text.split(",").map((word) => {
    const found = failures.find((one) => one === word.trim());
    if (found === undefined) throw new InvalidArgumentError(`Expected ${alternatives(failures)}, separated by commas.`);
    return found;
  });
}
