import { counted } from "../../core/words.ts";
import { cutFrom } from "../../reports/layout.ts";
import type { Progress } from "../../setpoint.ts";

/** Milliseconds between two states of the line: faster ones cannot be read. */
const interval = 100;

/** A line on a terminal that says how far a run is. */
export interface ProgressLine {
  show(progress: Progress): void;
  /** Takes the line away. */
  end(): void;
}

/**
 * Keeps a line on a terminal's standard error until it is ended. Elsewhere, and in CI, nothing is shown: a log keeps
 * every line.
 */
export function progressLine(): ProgressLine {
  const { stderr, env } = process;
  if (!stderr.isTTY || env.CI !== undefined || env.TERM === "dumb") return { show: () => {}, end: () => {} };
  const erase = "\r\u001b[2K";
  let shown = Number.NEGATIVE_INFINITY;
  return {
    show(progress) {
      if (performance.now() - shown < interval) return;
      shown = performance.now();
      stderr.write(`${erase}${cutFrom(lineOf(progress), 0, (stderr.columns || 80) - 1, "…")}`);
    },
    end: () => {
      if (shown > Number.NEGATIVE_INFINITY) stderr.write(erase);
    },
  };
}

function lineOf(progress: Progress): string {
  const requests = [...progress.requests];
  switch (progress.step) {
    case "reading":
      return `Reading ${requests.map(([service, { reads }]) => `${service} (${reads})`).join(", ")} …`;
    case "applying": {
      const sent = requests.reduce((sum, [, { writes }]) => sum + writes, 0);
      return `Applying: ${sent} of ${counted(progress.calls, "call")} …`;
    }
  }
}
