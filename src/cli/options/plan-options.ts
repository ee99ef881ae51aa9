import { type Command, InvalidArgumentError } from "commander";
import { Risk } from "../../core/change.ts";
import type { Problem } from "../../core/problem.ts";
import type { Consent } from "../../core/run/plan.ts";
import { Duration, milliseconds } from "../../core/text/duration.ts";
import { defined } from "../../core/text/json.ts";
import { alternatives } from "../../core/text/words.ts";
import type { PlanOptions, Selection } from "../../setpoint.ts";
import type { FailOn } from "../exit.ts";
import {
  acceptedBy,
  addManifestOptions,
  addNarrowing,
  addQuietOption,
  addRequestOptions,
  append,
  type ManifestOptions,
  numberUpTo,
  ofForm,
  wholeNumber,
} from "./options.ts";
import {
  addNightOptions,
  addPublishOptions,
  addReportOption,
  type PublishOptions,
  type ReportOptions,
} from "./result-options.ts";

/** Options of every command that makes the calls of a plan. */
export interface CallingOptions {
  readonly yes: boolean;
  /** Milliseconds; true for as long as it takes. */
  readonly wait?: number | true;
  /** A full ref. */
  readonly lease?: string;
}

export interface ApplyCommandOptions extends PlanCommandOptions, CallingOptions {}

export function addCallingOptions(command: Command): Command {
  return command
    .option("-y, --yes", "do not ask for confirmation", false)
    .option(
      "--wait [duration]",
      "wait for another run that writes to the same services, such as 10m; without a duration, as long as it takes",
      (text: string) => milliseconds(acceptedBy(Duration)(text)),
    )
    .option(
      "--lease <git ref>",
      "also hold this ref of the remote origin meanwhile, such as refs/setpoint/lease",
      ofForm(/^refs\/[^/]+\/./, "a full ref such as refs/setpoint/lease"),
    );
}

/** Options of every command that plans. */
export interface PlanCommandOptions extends ManifestOptions, Selection, ReportOptions, PublishOptions, Consent {
  readonly base?: string;
  readonly all: boolean;
  /** False for `--no-deletes`. */
  readonly deletes: boolean;
  /** Whether commands may be run; undefined for commands without the option. */
  readonly allowExec?: boolean;
  /** A full ref, or true for the default one. */
  readonly record?: string | true;
  /** A folder or a full ref. */
  readonly history?: string;
  /** A file. */
  readonly metrics?: string;
  readonly failOn?: readonly FailOn[];
  readonly affected?: boolean;
  readonly shard?: PlanOptions["shard"];
}

/** Converts the options of the command line to those of a workspace's `plan`. */
export function planningOf(options: PlanCommandOptions): PlanOptions {
  const { record, deletes, allowExec } = options;
  return {
    ...options,
    record: record === true ? "refs/setpoint/applied" : record,
    noDeletes: !deletes,
    noExec: allowExec === false,
    consent: consentOf(options),
  };
}

export function consentOf({ accept = [], maxDeletes, maxDeletePercent }: Consent): Consent {
  return { ...(accept.length === 0 ? {} : { accept }), ...defined({ maxDeletes, maxDeletePercent }) };
}

export function addPlanOptions(command: Command): Command {
  const withBase = addQuietOption(addManifestOptions(command)).option(
    "--base <git ref>",
    "the last applied commit: separates pending from drift, and says what to prune; applied is what --record saved",
  );
  const narrowed = addNightOptions(addReportOption(addNarrowing(addRequestOptions(withBase))))
    .option("--only <address>", "include one resource only; * is a wildcard (repeatable)", append, [])
    .option("--no-deletes", "refuse a plan that deletes or is irreversible")
    .option("--all", "also list what is in sync, and every field, line and event", false);
  return addPublishOptions(narrowed);
}

/** Adds the options that allow what a guard of the workspace would refuse. */
export function addConsentOptions(command: Command): Command {
  const isRisk = (text: string) => Risk.options.some((risk) => risk === text);
  return command
    .option(
      "--accept <risk>",
      "accept a risk listed in guards.accept, or the deletion of the protected resource at this address (repeatable)",
      (text: string, before: readonly string[]) => {
        if (isRisk(text) || text.includes("/")) return append(text, before);
        throw new InvalidArgumentError(`Expected ${alternatives(Risk.options)}, or an address.`);
      },
      [],
    )
    .option("--max-deletes <number>", "delete this many resources at most, whatever the workspace allows", wholeNumber)
    .option(
      "--max-delete-percent <number>",
      "delete this share of a kind's live resources at most, whatever the workspace allows",
      numberUpTo(100),
    );
}

/** The most shards of a run. More would cost more to start than they save. */
const mostShards = 1000;

/** Adds `--shard`, for commands that only read. */
export function addShardOption(command: Command): Command {
  return command.option(
    "--shard <i/n>",
    "look at shard i of n only, such as 2/8; setpoint report merge makes one report from all",
    shardNumber,
  );
}

function shardNumber(text: string): NonNullable<PlanOptions["shard"]> {
  const [, index, of] = /^([1-9]\d{0,3})\/([1-9]\d{0,3})$/.exec(text) ?? [];
  if (Number(index) <= Number(of) && Number(of) <= mostShards) return { index: Number(index), of: Number(of) };
  throw new InvalidArgumentError(
    `Expected the number of a shard and how many there are, such as 2/8, at most ${mostShards}.`,
  );
}

/** The problems SP5001 of options that cannot be combined with a part, because it does not speak for the whole. */
export function partOptionProblems(options: PlanCommandOptions & { readonly out?: string }): readonly Problem[] {
  const { affected = false, shard, out, publish, history } = options;
  const wrong = (part: string, names: readonly string[], hint: string): readonly Problem[] =>
    names.length === 0
      ? []
      : [{ code: "SP5001", message: `${part} cannot be combined with ${names.join(", ")}.`, hint }];
  const saving = out === undefined ? [] : ["--out"];
  const ofWhole = [
    ...saving,
    ...(publish.length === 0 ? [] : ["--publish"]),
    ...(history === undefined ? [] : ["--history"]),
  ];
  return [
    ...wrong("--affected", affected ? saving : [], "It is for reviewing a proposal. To apply, plan everything."),
    ...wrong(
      "--shard",
      shard === undefined ? [] : ofWhole,
      "Write --report json=<file>, and give these options to setpoint report merge.",
    ),
  ];
}
