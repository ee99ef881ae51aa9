import type { createLogUpdate } from "log-update";
import type { Progress } from "../../setpoint.ts";
import { notice } from "./notice.ts";
import { progressLines } from "./progress-view.ts";

export interface ProgressLine {
  show(progress: Progress): void;
  /** Clears what is shown. */
  end(): void;
}

/** What else a command prints where progress would be shown. */
export interface ProgressOptions {
  readonly quiet?: boolean | undefined;
  /** Set if requests are logged, which go to the same place. */
  readonly log?: string | undefined;
}

/** Milliseconds between two drawings. Faster ones cannot be read. */
const interval = 100;

/**
 * Keeps a line for each service on a terminal's standard error until it is ended. Elsewhere, and in CI, it reports only an
 * interrupt and a service without a worker, because a log keeps every line.
 */
export function progressLine({ quiet = false, log }: ProgressOptions): ProgressLine {
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
