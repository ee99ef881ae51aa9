import { defineConfig } from "vitest/config";

/** Tests against a real server: they share it, so they run one file after another. */
export default defineConfig({
  test: {
    include: ["test/real/**/*.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 300_000,
    fileParallelism: false,
  },
});
