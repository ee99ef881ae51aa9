import type { Plan } from "../../core/run/plan.ts";
import { quotaText } from "../../core/run/quota.ts";
import { counted } from "../../core/text/words.ts";

/** What an apply takes from the quota of a service, and whether the quota suffices. */
export interface QuotaWords {
  readonly text: string;
  readonly suffices: boolean;
}

/** One sentence for each service whose quota is known. */
export function quotaWords(
  { forecast: { services = {} } }: Plan,
  named = (service: string) => service,
): readonly QuotaWords[] {
  return Object.entries(services).flatMap(([name, { requests, seconds, quota }]): readonly QuotaWords[] => {
    if (quota === undefined) return [];
    const paced = seconds === undefined ? "" : `, in about ${lengthOf(seconds)}`;
    const sent = `about ${counted(requests, "request")} to ${named(name)}${paced}`;
    const suffices = quota.after >= 0;
    const text = suffices
      ? `After ${sent}: ${quotaText({ ...quota, remaining: quota.after })}.`
      : `The quota is not enough for ${sent}: ${quotaText(quota)}.`;
    return [{ text, suffices }];
  });
}

function lengthOf(seconds: number): string {
  if (seconds < 100) return counted(seconds, "second");
  const minutes = Math.round(seconds / 60);
  return minutes < 100 ? counted(minutes, "minute") : counted(Math.round(minutes / 60), "hour");
}
