import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { request } from "undici";
import { z } from "zod";
import type { Sample } from "./sample.ts";

const Ready = z.union([z.object({ port: z.int() }), z.object({ url: z.url() })]);
const Counts = z.object({
  counts: z.record(z.string(), z.int()),
  greatest: z.int(),
  remaining: z.int(),
});

/** A service in a process of its own. */
export interface Fake {
  readonly url: string;
  /** Forgets what was written. */
  readonly reset: () => Promise<void>;
  /** Runs something and adds the requests that the service counted meanwhile. */
  readonly counted: (run: () => Promise<Sample>) => Promise<Sample>;
  readonly close: () => Promise<void>;
}

/** Starts a program that prints, as JSON in its first line, where it listens: `port` or `url`. */
export async function startFake(program: string, options: readonly string[]): Promise<Fake> {
  const child = spawn(process.execPath, [program, ...options], { stdio: ["ignore", "pipe", "inherit"] });
  const kill = () => child.kill();
  process.once("exit", kill);
  const [line]: string[] = await Promise.race([
    once(createInterface({ input: child.stdout }), "line"),
    once(child, "exit").then(() => Promise.reject(new Error(`${program} did not start.`))),
  ]);
  const ready = Ready.parse(JSON.parse(line ?? ""));
  const url = "url" in ready ? ready.url : `http://127.0.0.1:${ready.port}`;
  const read = async () => Counts.parse(await (await request(`${url}/_counts`)).body.json());
  const reset = async (query = "") => {
    await (await request(`${url}/_reset${query}`, { method: "POST" })).body.dump();
  };
  return {
    url,
    reset: () => reset("?state"),
    async counted(run) {
      await reset();
      const before = await read();
      const sample = await run();
      const { counts, greatest, remaining } = await read();
      const answers = Object.entries(counts);
      return {
        ...sample,
        requests: total(answers),
        notModified: total(answers.filter(([answer]) => answer.endsWith(" 304"))),
        atOnce: greatest,
        quota: before.remaining - remaining,
      };
    },
    async close() {
      process.removeListener("exit", kill);
      await end(child);
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill();
  await ended;
}

function total(answers: readonly (readonly [string, number])[]): number {
  return answers.reduce((sum, [, count]) => sum + count, 0);
}
