import type { Plan } from "../../core/run/plan.ts";
import { counted, grouped } from "../../core/text/words.ts";

/** Which part of the declared resources a plan is about; empty if it is about all of them. */
export function partWords({ affected, shard }: Pick<Plan, "affected" | "shard">): readonly string[] {
  return [
    ...(affected === undefined ? [] : affectedWords(affected)),
    ...(shard === undefined ? [] : [shardWords(shard)]),
  ];
}

function affectedWords({ resources, others, rules = [] }: NonNullable<Plan["affected"]>): readonly string[] {
  return [
    `${grouped(resources)} affected, ${grouped(others)} not looked at.`,
    ...(rules.length === 0 ? [] : [`Rules of the workspace changed, so all of it was looked at: ${rules.join(", ")}.`]),
  ];
}

function shardWords({ index, of, resources }: NonNullable<Plan["shard"]>): string {
  const sizes = resources.map((groups) => Object.values(groups).reduce((sum, keys) => sum + keys.length, 0));
  const own = sizes[index - 1] ?? 0;
  const others = sizes.reduce((sum, size) => sum + size, 0) - own;
  return `Shard ${index} of ${of}: ${counted(own, "resource")}, and ${grouped(others)} that other shards look at.`;
}
