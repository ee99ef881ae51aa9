import { cutFrom } from "../../reports/layout.ts";

/**
 * Keeps a line on a terminal's standard error that says how far a run is, until the returned function takes it away.
 * Elsewhere, and in CI, nothing is shown: a log keeps every line.
 */
export function showProgress(line: () => string): () => void {
  const { stderr, env } = process;
  if (!stderr.isTTY || env.CI !== undefined || env.TERM === "dumb") return () => {};
  const erase = "\r\u001b[2K";
  const timer = setInterval(() => stderr.write(`${erase}${cutFrom(line(), 0, (stderr.columns || 80) - 1, "…")}`), 100);
  return () => {
    clearInterval(timer);
    stderr.write(erase);
  };
}
