import { type Command, InvalidArgumentError } from "commander";
import type { Problem } from "../../core/problem.ts";
import type { PlanOptions } from "../../setpoint.ts";
import type { PlanCommandOptions } from "./plan-options.ts";

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
export function partOptionProblems({
  affected = false,
  shard,
  out,
  publish,
  history,
}: PlanCommandOptions & { readonly out?: string }): readonly Problem[] {
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
