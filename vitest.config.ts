import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/support/setup.ts"],
    exclude: ["test/real/**"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
