import { counted, grouped } from "../../core/text/words.ts";
import { cutFrom, firstOf, inColumns } from "../../reports/text/layout.ts";
import { visible } from "../../reports/text/style.ts";
import type { Progress, ServiceProgress } from "../../setpoint.ts";

export interface ProgressScreen {
  readonly width: number;
  readonly height: number;
}

/** A line for each service: how much is done, what is under way or waited for, and the time left. */
export function progressLines(
  progress: Progress,
  { width, height }: ProgressScreen,
  /** In milliseconds since 1970. */
  now: number,
): readonly string[] {
  const rows = [...progress.requests].map(([service, state]) => [
    visible(service),
    doneWords(progress.step, state),
    ...stateWords(state, now),
  ]);
  const lines = inColumns(rows).map((cells) => cells.join("  ").trimEnd());
  const { shown, more } = firstOf(lines, Math.max(1, height - 1));
  return [...shown, ...(more > 0 ? [`… and ${grouped(more)} more`] : [])].map((line) =>
    cutFrom(line, 0, width - 1, "…"),
  );
}

function doneWords(step: Progress["step"], { work, reads, writes }: ServiceProgress): string {
  if (work === undefined) return counted(reads + writes, "request");
  const total = step === "applying" ? counted(work.total, "call") : `${grouped(work.total)} read`;
  return `${grouped(work.done)} of ${total}`;
}

function stateWords(state: ServiceProgress, now: number): readonly string[] {
  const { inFlight, waitingUntil, isLimited, awaiting, work } = state;
  const underWay = inFlight === 0 ? "" : `${inFlight} in flight`;
  if (waitingUntil !== undefined) {
    const wait = seconds(Math.max(0, waitingUntil - now));
    return [underWay, isLimited ? `limit reached, continues in ${wait}` : `no answer, retries in ${wait}`];
  }
  if (awaiting !== undefined) return [underWay, `waits until ${awaiting} has taken effect`];
  if (work?.lacksWorker) return [underWay, "no worker yet: start setpoint worker"];
  const left = timeLeft(state, now);
  return [underWay, left === undefined ? "" : `about ${seconds(left)} left`];
}

/** The least progress from which the remaining time can be estimated. */
const leastSeen = { milliseconds: 2000, done: 3 };

/** The estimated remaining milliseconds at the speed so far; undefined if there is too little to go by. */
function timeLeft({ work }: ServiceProgress, now: number): number | undefined {
  if (work === undefined || work.done < leastSeen.done || work.done >= work.total) return undefined;
  const elapsed = now - work.since;
  return elapsed < leastSeen.milliseconds ? undefined : (elapsed / work.done) * (work.total - work.done);
}

function seconds(milliseconds: number): string {
  const all = Math.ceil(milliseconds / 1000);
  return all < 60 ? `${all} s` : `${Math.floor(all / 60)} min ${all % 60} s`;
}
