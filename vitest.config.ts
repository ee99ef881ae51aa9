import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Most of the time is spent waiting for processes and answers, so that a core less would only idle.
    maxWorkers: "100%",
    pool: "threads",
    setupFiles: ["test/support/setup.ts"],
    exclude: ["test/real/**"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
