import type { createLogUpdate } from "log-update";
import { counted, grouped } from "../../core/text/words.ts";
import { cutFrom, firstOf, inColumns } from "../../reports/text/layout.ts";
import { visible } from "../../reports/text/style.ts";
import type { Progress, ServiceProgress } from "../../setpoint.ts";
import type { ManifestOptions } from "../options/options.ts";
import { notice } from "./notice.ts";

export interface ProgressLine {
  show(progress: Progress): void;
  /** Clears what is shown. */
  end(): void;
}

/** Milliseconds between two drawings. Faster ones cannot be read. */
const interval = 100;

/**
 * Keeps a line for each service on a terminal's standard error until it is ended. Elsewhere, and in CI, it reports only an
 * interrupt and a service without a worker, because a log keeps every line; likewise if requests are logged to the same place.
 */
export function progressLine({ quiet = false, log }: Pick<ManifestOptions, "quiet" | "log">): ProgressLine {
  const { stderr, env } = process;
  const finishing = (progress: Progress) => {
    if (progress.step === "finishing") stderr.write(`${finishingWords(progress.calls)}\n`);
  };
  const noticed = new Set<string>();
  const noticeMissing = ({ requests }: Progress) => {
    for (const [service, { work }] of requests) {
      if (work?.lacksWorker !== true || noticed.has(service)) continue;
      noticed.add(service);
      notice(missingWords(service));
    }
  };
  // A pseudo-terminal without a size has 0 columns.
  if (!stderr.isTTY || !stderr.columns || env.CI !== undefined || env.TERM === "dumb" || quiet || log !== undefined)
    return {
      show(progress) {
        finishing(progress);
        if (!quiet && log !== "json") noticeMissing(progress);
      },
      end: () => {},
    };
  let draw: ReturnType<typeof createLogUpdate> | undefined;
  let isLoaded = false;
  let latest: Progress | undefined;
  let timer: NodeJS.Timeout | undefined;
  const load = async () => {
    isLoaded = true;
    const library = await import("log-update");
    // The cursor stays visible, because a killed run could not show it again.
    draw = library.createLogUpdate(stderr, { showCursor: true });
  };
  const drawLatest = () => {
    // Loaded only for a run that takes time.
    if (!isLoaded) void load();
    if (latest === undefined) return;
    const screen = { width: stderr.columns, height: stderr.rows };
    draw?.(progressLines(latest, screen, Date.now()).join("\n"));
  };
  return {
    show(progress) {
      if (progress.step === "finishing") {
        draw?.clear();
        finishing(progress);
        return;
      }
      latest = progress;
      // Redraw regularly, because waits and remaining times change without events.
      timer ??= setInterval(drawLatest, interval).unref();
    },
    end() {
      clearInterval(timer);
      timer = undefined;
      latest = undefined;
      draw?.clear();
    },
  };
}

function finishingWords(calls: number): string {
  const what =
    calls === 0
      ? "Sending nothing more, and verifying what was sent"
      : `Finishing ${calls === 1 ? "1 call" : `${calls} calls`} under way`;
  return `${what}; press Ctrl-C again to stop now.`;
}

function missingWords(service: string): string {
  return `No worker takes jobs of ${service} yet: start setpoint worker with its credentials. After a minute without one, the service is unknown.`;
}

/** A line for each service: how much is done, what is under way or waited for, and the time left. */
export function progressLines(
  progress: Progress,
  { width, height }: { readonly width: number; readonly height: number },
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
    return [underWay, isLimited ? `limit reached, continues in ${wait}` : `request failed, retries in ${wait}`];
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
