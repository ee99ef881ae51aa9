import { join } from "node:path";
import { z } from "zod";
import type { Context, Medians, Side, Verdict } from "./case.ts";
import type { Sample } from "./sample.ts";
import { minus, ratio } from "./statistics.ts";
import { concurrency, used } from "./workspace.ts";

const programs = join(import.meta.dirname, "../programs");
const Took = z.object({ wall: z.number(), processor: z.number() });

/** Runs a program of `bench/programs/`. */
function runProgram(
  { run, folder }: Pick<Context, "run" | "folder">,
  name: string,
  ...args: readonly (string | number)[]
) {
  return run({ command: [process.execPath, join(programs, name), ...args.map(String)], cwd: folder });
}

/** Runs a program that says itself how long its work took, without its start. */
export async function workOf(context: Context, name: string, ...args: readonly (string | number)[]): Promise<Sample> {
  const { stdout, memory } = await runProgram(context, name, ...args);
  return { ...Took.parse(JSON.parse(stdout)), memory };
}

/** How long each answer takes, in milliseconds, wherever times are compared. */
export const latency = 20;

/** The shortest time that so many requests can take, in milliseconds: answers take theirs, and nothing else takes any. */
export function shortestTime(requests: number): number {
  return (requests * latency) / concurrency;
}

/** The same requests, sent by undici alone. */
export function undiciAlone(context: Context, url: string, requests: number): Side {
  return { name: "undici alone", run: () => workOf(context, "undici.ts", url, requests, concurrency) };
}

/** The time of a side without start-up, of the shortest time for its requests and of undici's: at most `most` of each. */
export function timeVerdicts(
  of: Medians,
  side: string,
  { requests, most }: { readonly requests: number; readonly most: number },
): readonly Verdict[] {
  const time = minus(of(side, "wall"), of("start-up", "wall"));
  const common = { unit: "times", target: { is: "at most", value: most } } as const;
  return [
    { what: "time less start-up, of the limit", value: ratio(time, shortestTime(requests)), ...common },
    { what: "time less start-up, of undici's", value: ratio(time, of("undici alone", "wall")), ...common },
  ];
}

/** Sending a file with its SHA-256, and nothing else. */
export async function checksumAndSend(context: Context, file: string, url: string): Promise<Sample> {
  return used(await runProgram(context, "deploy.ts", file, url));
}

/** Parsing the manifests of a folder with js-yaml. */
export async function jsYaml(context: Context, folder: string): Promise<Sample> {
  return used(await runProgram(context, "js-yaml.ts", folder));
}
