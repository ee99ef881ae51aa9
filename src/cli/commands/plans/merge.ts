import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { onceEach } from "../../../core/once.ts";
import type { Problem } from "../../../core/problem.ts";
import type { Shard } from "../../../core/run/part.ts";
import { withoutRepeats } from "../../../core/text/json.ts";
import { neutralLine } from "../../../reports/neutral.ts";
import { readResult } from "../../../reports/read-result.ts";
import { renderPlan } from "../../../reports/text/plan-text.ts";
import { mergeShards, type Plan } from "../../../setpoint.ts";
import { type ExitCode, planExitCode } from "../../exit.ts";
import { givenWords, type Interrupts, openFrom } from "../../options/options.ts";
import { type DeliveryOptions, openDelivery } from "../../results/deliver.ts";
import { inFile, readPlanFile } from "../../results/plan-file.ts";
import { noticeProblem } from "../../terminal/notice.ts";
import { failWith, openOutput, showRun } from "../../terminal/output.ts";

/** Options of `setpoint report merge`, whose arguments are files. */
export type MergeOptions = DeliveryOptions & {
  readonly all: boolean;
  readonly detailedExitcode: boolean;
};

/** `setpoint report merge`: makes one plan of all shards, and delivers it as if one run had made it. Reads no service. */
export async function merge(
  files: readonly string[],
  options: MergeOptions,
  interrupts: Interrupts,
): Promise<ExitCode> {
  const output = openOutput(options);
  const read = await shardsIn(files);
  const plans = read.flatMap((one) => ("plan" in one ? [one] : []));
  const command = plans[0]?.plan.about.command ?? "drift";
  // A run of a part does not belong in the history of the whole.
  const narrowed = plans.some(({ plan }) => plan.shard?.narrowed === true) ? { only: ["*"] } : {};
  const delivery = openDelivery(command, { ...options, ...narrowed }, openFrom(options, interrupts), output);
  await delivery.started();
  const wrong = read.flatMap((one) => ("problems" in one ? one.problems : []));
  // A missing file is a shard that did not run. The other shards say what it would have looked at.
  const absent = read.flatMap((one) => ("absent" in one ? one.absent : []));
  if (plans.length > 0) absent.forEach(noticeProblem);
  const told = plans.length > 0 ? wrong : [...wrong, ...absent];
  const merged = told.length > 0 ? { is: "wrong" as const, problems: withoutRepeats(told) } : mergeShards(plans);
  if (merged.is === "wrong") {
    await delivery.sendProblems(merged.problems);
    return failWith(output, merged, "No report was made.");
  }
  const { plan } = merged;
  const delivered = await delivery.send({ plan });
  const { history } = delivered.subject;
  const how = { ...output, all: options.all, history, given: givenWords(options) };
  showRun(output, { plan }, () => renderPlan(plan, how));
  const detailed = command === "drift" || options.detailedExitcode;
  return delivered.conclude(planExitCode(plan, detailed, options.failOn));
}

/** Reads the files one after the other. Every shard lists all resources; shards with equal lists share one copy in memory. */
async function shardsIn(files: readonly string[]): Promise<readonly Awaited<ReturnType<typeof shardIn>>[]> {
  const all: Awaited<ReturnType<typeof shardIn>>[] = [];
  const shared = onceEach(
    (resources: Shard["resources"]) => resources,
    (resources) => hash("sha256", JSON.stringify(resources)),
  );
  for (const file of files) {
    const read = await shardIn(file);
    if (!("plan" in read) || read.plan.shard === undefined) all.push(read);
    else {
      const shard = { ...read.plan.shard, resources: shared(read.plan.shard.resources) };
      all.push({ ...read, plan: { ...read.plan, shard } });
    }
  }
  return all;
}

/** The plan in a file; or the problems of the file or of its run, which no other shard can make up for. */
async function shardIn(
  file: string,
): Promise<
  | { readonly file: string; readonly plan: Plan }
  | { readonly problems: readonly Problem[] }
  | { readonly absent: readonly Problem[] }
> {
  const written = await readPlanFile(file);
  if (written.is === "wrong") return existsSync(file) ? { problems: written.problems } : { absent: written.problems };
  const read = readResult(written.text);
  if (read.is === "wrong") return { problems: [inFile(file, read.problem)] };
  if ("problems" in read.result) return { problems: read.result.problems };
  return { file: neutralLine(file), plan: read.result.plan };
}
