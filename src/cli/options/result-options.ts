import { type Command, InvalidArgumentError, Option } from "commander";
import { alternatives } from "../../core/text/words.ts";
import type { PublishTarget } from "../../publishers/publish.ts";
import type { RunFacts } from "../../publishers/run-facts.ts";
import { type FailOn, failures } from "../exit.ts";
import { addReport, type ReportFile } from "../results/report-files.ts";
import { ofForm, wholeNumber } from "./options.ts";

/** Options for where a run's result goes in addition to the output. */
export interface ReportOptions {
  readonly report: readonly ReportFile[];
}

export function addReportOption(command: Command): Command {
  return command.option(
    "--report <format=file>",
    "also write text, json, markdown, html, junit, sarif, github or csv to a file (repeatable)",
    addReport,
    [],
  );
}

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

/** Options for where a run's result is published, and what the run is about. */
export interface PublishOptions {
  readonly publish: readonly PublishTarget[];
  readonly about: RunFacts;
}

export function addPublishOptions(command: Command): Command {
  return command
    .option(
      "--publish <where>",
      "also publish as status, comment, review or wiki=<page id>; status=<name> names one of several services (repeatable)",
      addTarget,
      [],
    )
    .option(
      "--about <fact=value>",
      `for --publish, if the CI server does not say: ${[...facts.keys()].join(", ")} (repeatable)`,
      addFact,
      {},
    );
}

/** Reads `status`, `comment=<service>`, `wiki=<page id>` or `wiki=<service>/<page id>`. */
function addTarget(text: string, before: readonly PublishTarget[]): readonly PublishTarget[] {
  const [, as = "", value] = /^([^=]*)(?:=(.+))?$/s.exec(text) ?? [];
  switch (as) {
    case "status":
    case "comment":
    case "review":
      return [...before, { as, service: value }];
    case "wiki": {
      const [, service, page] = /^(?:([^/]+)\/)?([1-9]\d*)$/.exec(value ?? "") ?? [];
      if (page === undefined) throw new InvalidArgumentError("Expected wiki=<page id>, such as wiki=48213.");
      return [...before, { as, page, service }];
    }
    default:
      throw new InvalidArgumentError("Expected status, comment, review or wiki=<page id>.");
  }
}

const repository = ofForm(/^[^/\s]+\/[^/\s]+$/, "owner/name");
const commit = ofForm(/^([0-9a-f]{40}|[0-9a-f]{64})$/, "the full SHA of a commit");
const revision = ofForm(/^\w+$/, "the number or the commit of a patch set");
const link = ofForm(/^https?:\/\/\S+$/, "an http or https URL");
const author = ofForm(/^\S+$/, "the login under which comments appear");

/** The facts about a run, and how to read each. */
const facts = new Map<string, (text: string) => RunFacts>([
  ["repository", (text) => ({ repository: repository(text) })],
  ["commit", (text) => ({ commit: commit(text) })],
  ["pull-request", (text) => ({ pullRequest: wholeNumber(text) })],
  ["change", (text) => ({ change: wholeNumber(text) })],
  ["revision", (text) => ({ revision: revision(text) })],
  ["link", (text) => ({ link: link(text) })],
  ["author", (text) => ({ author: author(text) })],
]);

function addFact(text: string, before: RunFacts): RunFacts {
  const at = text.indexOf("=");
  const read = facts.get(text.slice(0, Math.max(0, at)));
  if (read === undefined)
    throw new InvalidArgumentError(`Expected fact=value, where fact is ${alternatives([...facts.keys()])}.`);
  return { ...before, ...read(text.slice(at + 1)) };
}
