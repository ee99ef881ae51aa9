import { defineConfig } from "vitest/config";

/** Tests that judge a mutant of `src/core/` or `src/planner/`: pure ones, so that a mutant costs little. */
export default defineConfig({
  test: {
    setupFiles: ["test/support/setup.ts"],
    isolate: false,
    // No machine is too slow for a test; what never ends is found by Stryker.
    testTimeout: 600_000,
    include: ["test/core/**/*.test.ts", "test/planner/**/*.test.ts"],
    // These compile programs, ask the sandbox, or take as long as all others together.
    exclude: [
      "test/core/typed-tables.test.ts",
      "test/core/published-schema.test.ts",
      "test/planner/expiry.test.ts",
      "test/*/scale.test.ts",
    ],
  },
});
