import { defineConfig } from "vitest/config";

/** Milliseconds: no machine is too slow for a test, and a nightly run tries every law more often. */
const timeout = 600_000 + 2_000 * Number(process.env.SETPOINT_LAW_RUNS ?? 0);

const common = {
  setupFiles: ["test/support/setup.ts"],
  pool: "threads" as const,
  testTimeout: timeout,
  hookTimeout: timeout,
};

export default defineConfig({
  test: {
    // Most of the time is spent waiting for processes and answers, so that a core less would only idle.
    maxWorkers: "100%",
    projects: [
      {
        // Mocked connections are a worker's own: these files may not share one.
        test: { ...common, name: "clients", include: ["test/clients/**/*.test.ts"] },
      },
      {
        // Everything is loaded once a worker, not once a file.
        test: {
          ...common,
          name: "others",
          isolate: false,
          include: ["test/**/*.test.ts"],
          exclude: ["test/clients/**", "test/real/**", "test/page/browser/**"],
        },
      },
    ],
  },
});
