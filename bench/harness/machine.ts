import { cpus, release, totalmem, type } from "node:os";
import type { Machine } from "./results.ts";

/** The machine that measures. */
export function thisMachine(): Machine {
  const processors = cpus();
  return {
    processor: processors[0]?.model.trim() || "unknown processor",
    cores: processors.length,
    memory: totalmem(),
    system: `${type()} ${release()}`,
    node: process.versions.node,
    at: new Date().toISOString().slice(0, 10),
  };
}
