import type { Problem } from "../../core/problem.ts";
import type { Shard } from "../../core/run/part.ts";
import type { Plan } from "../../core/run/plan.ts";

/** The plan of one shard. */
export interface ShardPlan {
  readonly plan: Plan;
  readonly shard: Shard;
}

/** A shard's plan with the name of its file. */
export interface ShardFile extends ShardPlan {
  readonly file: string;
}

/** Returns the shards among the files, and an SP2006 problem for each file that cannot be merged with the first shard. */
export function shardFiles(files: readonly { readonly file: string; readonly plan: Plan }[]): {
  readonly shards: readonly ShardFile[];
  readonly problems: readonly Problem[];
} {
  const shards = files.flatMap(({ file, plan }): readonly ShardFile[] =>
    plan.shard === undefined ? [] : [{ file, plan, shard: plan.shard }],
  );
  const problems = files.flatMap(({ file, plan }): Problem[] =>
    plan.shard === undefined ? [wrong(`${file} is not a shard: it was made without --shard.`)] : [],
  );
  const [first, ...others] = shards;
  if (first === undefined) return { shards, problems };
  const seen = new Map([[first.shard.index, first.file]]);
  for (const { file, plan, shard } of others) {
    const before = seen.get(shard.index);
    const said = difference(first, { plan, shard });
    if (said !== undefined) problems.push(wrong(`${file} does not belong to ${first.file}: ${said}.`));
    else if (before !== undefined) problems.push(wrong(`${file} is shard ${shard.index}, and so is ${before}.`));
    else seen.set(shard.index, file);
  }
  return { shards, problems };
}

/** Returns why two plans are not shards of one run; undefined if they are. */
function difference(a: ShardPlan, b: ShardPlan): string | undefined {
  if (a.plan.about.command !== b.plan.about.command)
    return `it is from ${b.plan.about.command} and the other one from ${a.plan.about.command}`;
  if (a.shard.of !== b.shard.of) return `it is one of ${b.shard.of} shards and the other one of ${a.shard.of}`;
  if (a.shard.commit !== b.shard.commit)
    return `its commit is ${shortOf(b.shard)} and the other one's is ${shortOf(a.shard)}`;
  if (a.shard.digest !== b.shard.digest) return "the manifests, the base, the rules or the options differ";
  return undefined;
}

function shortOf({ commit = "none" }: Shard): string {
  return commit.slice(0, 12);
}

function wrong(message: string): Problem {
  const hint =
    "Make all shards with the same command at the same commit, each number once: --shard 1/n to --shard n/n.";
  return { code: "SP2006", message, hint };
}
