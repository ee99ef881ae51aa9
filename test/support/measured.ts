import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The folder in which the nightly run leaves its figures for `npm run reliability`. */
const folder = join(import.meta.dirname, "../../reports/reliability");

/** Whether this is the nightly run. */
export const isNightly = process.env.SETPOINT_NIGHTLY !== undefined;

/** Keeps the figures of a nightly run; a shorter run keeps none, because its figures say less. */
export function measured(name: string, figures: Readonly<Record<string, unknown>>): void {
  if (!isNightly) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(figures, undefined, 2)}\n`);
}
