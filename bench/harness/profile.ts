import { z } from "zod";

/** What `node --cpu-prof` writes, as far as it is read here. */
export const CpuProfile = z.object({
  nodes: z.array(
    z.object({
      id: z.int(),
      callFrame: z.object({ functionName: z.string(), url: z.string(), lineNumber: z.int() }),
    }),
  ),
  samples: z.array(z.int()),
  /** Microseconds since the sample before. */
  timeDeltas: z.array(z.number()),
});
export type CpuProfile = z.infer<typeof CpuProfile>;

/** Time that was spent in one place itself, and not in what it called. */
export interface SelfTime {
  readonly where: string;
  readonly milliseconds: number;
}

/** Self time by function, and by what a function is a part of: a folder of the sources, a package, Node itself. Most first. */
export function selfTimes({ nodes, samples, timeDeltas }: CpuProfile, root: string): Profiled {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const [functions, parts] = [new Map<string, number>(), new Map<string, number>()];
  samples.forEach((id, index) => {
    const frame = frames.get(id);
    if (frame === undefined || frame.functionName === "(idle)") return;
    const microseconds = timeDeltas[index] ?? 0;
    const file = frame.url.replace(/^file:\/\//, "").replace(`${root}/`, "");
    const name = frame.functionName || "(anonymous)";
    add(functions, file === "" ? name : `${name}  ${file}:${frame.lineNumber + 1}`, microseconds);
    add(parts, partOf(file, name), microseconds);
  });
  return { functions: sorted(functions), parts: sorted(parts) };
}

interface Profiled {
  readonly functions: readonly SelfTime[];
  readonly parts: readonly SelfTime[];
}

function add(times: Map<string, number>, where: string, microseconds: number): void {
  times.set(where, (times.get(where) ?? 0) + microseconds);
}

function sorted(times: ReadonlyMap<string, number>): readonly SelfTime[] {
  return [...times]
    .map(([where, microseconds]) => ({ where, milliseconds: microseconds / 1000 }))
    .sort((a, b) => b.milliseconds - a.milliseconds);
}

/** `src/planner`, `undici`, `node`, or what the machine does besides, such as `(garbage collector)`. */
function partOf(file: string, name: string): string {
  if (file === "") return name.startsWith("(") && name !== "(anonymous)" ? name : "node";
  if (file.startsWith("node:")) return "node";
  const [, dependency] = /node_modules\/((?:@[^/]+\/)?[^/]+)(?!.*node_modules\/)/.exec(file) ?? [];
  return dependency ?? file.split("/").slice(0, 2).join("/");
}
