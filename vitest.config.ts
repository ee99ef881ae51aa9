import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Milliseconds: no machine is too slow for a test, and a nightly run tries every law more often. */
const timeout = 600_000 + 2_000 * Number(process.env.SETPOINT_LAW_RUNS ?? 0);

/** These start dozens of processes each, nearly all of them git's. */
const startsMost =
  /\/test\/(?:cli\/(?:record|parts|saved-trust)|pipelines|manifests\/sources|engine\/(?:lease|history))\b/;
/**
 * V8 does not compile expressions once a process has more than 16 MB of compiled code, and this file spends its time in one that
 * recognizes emoji: as one of the last files it takes ten times as long on Node 22.
 */
const matchesMost = /\/test\/reports\/laws\b/;
const startsMany = /\/test\/(?:cli|recipes)\b/;

/** A long file that starts last leaves the other core idle. In a new clone Vitest knows sizes alone, and never what loading takes. */
const takesLong = /\/test\/(?:laws|simulator|core\/typed-tables|manifests\/(?:bombs|hostile)|planner\/whole-plan)\b/;

/**
 * Files that start many processes come first, while the worker is small: starting one takes as long as the memory of the process
 * that starts it is large.
 */
class ManyProcessesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const first = [startsMost, matchesMost, startsMany, takesLong].flatMap((some) =>
      sorted.filter(({ moduleId }) => some.test(moduleId)),
    );
    return [...new Set([...first, ...sorted])];
  }
}

export default defineConfig({
  test: {
    // Most of the time is spent waiting for processes and answers, so that a core less would only idle.
    maxWorkers: "100%",
    setupFiles: ["test/support/setup.ts"],
    // Not threads: to start a process takes as long as the memory of the one that starts it is large, and tests start thousands.
    pool: "forks",
    sequence: { sequencer: ManyProcessesFirst },
    // Everything is loaded once a worker, not once a file.
    isolate: false,
    // Where Vite runs modules it looks up each name wherever it is used. @see test/support/using.ts
    experimental: { viteModuleRunner: false },
    testTimeout: timeout,
    hookTimeout: timeout,
    include: ["test/**/*.test.ts"],
    exclude: ["test/real/**", "test/page/browser/**"],
  },
});
