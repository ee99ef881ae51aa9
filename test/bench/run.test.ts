import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

// Keeps what Node compiles, because the tests use little of the program.
const env = { ...process.env, NODE_COMPILE_CACHE: join(import.meta.dirname, "../../.cache/compiled") };

test("--help shows the options and the cases of the benchmark, and measures nothing", () => {
  const { status, stdout } = spawnSync(process.execPath, ["bench/run.ts", "--help"], { encoding: "utf8", env });
  expect(status).toBe(0);
  expect(stdout).toMatch(/--only <case>.*Cases: reads-1000, /s);
});

test.each([
  ["an option that it does not have", ["--nope"], "Unknown option '--nope'"],
  ["a case that it does not have", ["--only", "nope"], "There is no case nope. The cases are reads-1000,"],
])("the benchmark reports in one sentence that it was given %s", (_case, args, said) => {
  const { status, stderr } = spawnSync(process.execPath, ["bench/run.ts", ...args], { encoding: "utf8", env });
  expect(status).toBe(1);
  expect(stderr.startsWith(said)).toBe(true);
});
