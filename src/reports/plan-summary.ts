import type { Plan, PlannedChange } from "../core/plan.ts";
import { counted } from "../core/words.ts";
import { flow, noBreak, wrap } from "./layout.ts";
import type { Style } from "./style.ts";

/** The command that shows a plan. */
export type PlanCommand = "plan" | "drift";

/** How many resources stand how, and what an apply would do about it. */
export function summaryLines(plan: Plan, command: PlanCommand, style: Style): readonly string[] {
  const { changes, unknown, inSync, refusals, ignored, unmanaged = [] } = plan;
  if (changes.length + unknown.length + refusals.length > 0)
    return [...countLines(plan, style), ...closing(plan, command, style).flatMap((text) => wrap(text, style.width))];
  if (inSync.length === 0) return wrap("There is nothing to look at: no resource is declared.", style.width);
  const reads = plan.services.reduce((sum, service) => sum + service.reads, 0);
  const counts = [counted(inSync.length, "resource"), counted(reads, "read")];
  if (ignored.length > 0) counts.push(counted(ignored.length, "ignored field"));
  if (unmanaged.length > 0) counts.push(`${unmanaged.length} unmanaged`);
  return wrap(`Everything is as desired: ${counts.join(", ")}.`, style.width);
}

function countLines({ changes, unknown, inSync, ignored, unmanaged = [] }: Plan, style: Style): readonly string[] {
  const writable = changes.filter(({ action }) => action !== "check");
  const withVerdict = (verdict: PlannedChange["verdict"]) =>
    writable.filter((change) => change.verdict === verdict).length;
  const conflicts = withVerdict("conflict");
  const checks = changes.length - writable.length;
  const counts = [
    count(inSync.length, "in sync"),
    count(withVerdict("pending"), "pending"),
    count(withVerdict("drift"), "drift"),
    count(conflicts, conflicts === 1 ? "conflict" : "conflicts"),
    count(unknown.length, "unknown"),
    ...(checks > 0 ? [count(checks, checks === 1 ? "needs a person" : "need a person")] : []),
    ...(ignored.length > 0 ? [counted(ignored.length, "ignored field")] : []),
    ...(unmanaged.length > 0 ? [count(unmanaged.length, "unmanaged")] : []),
  ];
  return flow(counts, style.width, "   ").map((line) => style.paint("bold", line));
}

function count(value: number, words: string): string {
  return `${value.toLocaleString("en-US")} ${words}`;
}

function closing(plan: Plan, command: PlanCommand, style: Style): readonly string[] {
  return [
    forecast(plan, command, style),
    ...(plan.unknown.length > 0 ? ["What is unknown is left alone until its service answers."] : []),
  ];
}

function forecast({ refusals, calls, forecast: { writes } }: Plan, command: PlanCommand, { symbols }: Style): string {
  if (refusals.length > 0) return `Refused for ${counted(refusals.length, "reason")}: an apply would make no call.`;
  if (calls.length === 0) return "An apply would make no call.";
  const names = Object.entries(writes).map(([name, number]) => [number, symbols.times, name].join(noBreak));
  const total = `${counted(calls.length, "call")}: ${names.join(", ")}.`;
  return command === "drift" ? `An apply would undo this with ${total}` : `Apply would make ${total}`;
}
