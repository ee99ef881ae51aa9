import type { Unit, Verdict } from "./case.ts";
import type { Figure } from "./sample.ts";

/** How figures are called and read, in the order in which they are shown. */
export const figures: Readonly<Record<Figure, { readonly title: string; readonly unit: Unit }>> = {
  wall: { title: "time", unit: "milliseconds" },
  processor: { title: "processor time", unit: "milliseconds" },
  memory: { title: "memory", unit: "bytes" },
  requests: { title: "requests", unit: "count" },
  notModified: { title: "answered 304", unit: "count" },
  quota: { title: "of the quota", unit: "count" },
  atOnce: { title: "at once", unit: "count" },
  perSecond: { title: "a second", unit: "count" },
  bytes: { title: "size", unit: "bytes" },
  packages: { title: "packages", unit: "count" },
};

/** A value as people read it: `1.92 ×`, `0.42 s`, `181 MB`, `1,000`. */
export function shown(value: number, unit: Unit): string {
  switch (unit) {
    case "times":
      return `${significant(value)} ×`;
    case "milliseconds":
      return value < 100 ? `${significant(value)} ms` : `${significant(value / 1000)} s`;
    case "bytes":
      return value < 1e6 ? `${Math.round(value / 1e3)} kB` : `${significant(value / 1e6)} MB`;
    case "count":
      return grouped(Math.round(value));
  }
}

/** Three figures, or all of those before the point. */
function significant(value: number): string {
  if (value >= 100) return grouped(Math.round(value));
  const digits = value >= 10 ? 1 : 2;
  return value.toFixed(digits).replace(/\.0+$/, "");
}

function grouped(value: number): string {
  return value.toLocaleString("en-US");
}

/** The target as people read it; nothing if there is none. */
export function targetText({ unit, target }: Pick<Verdict, "unit" | "target">): string {
  return target === undefined ? "" : `${target.is} ${shown(target.value, unit)}`;
}

interface Target {
  readonly value: number;
  readonly target?: Verdict["target"];
}

/** Whether a value is on the right side of its target; undefined if there is no target. */
export function isMet({ value, target }: Target): boolean | undefined {
  if (target === undefined) return undefined;
  return target.is === "at most" ? value <= target.value : value >= target.value;
}
