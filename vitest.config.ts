import { defineConfig } from "vitest/config";

const common = {
  setupFiles: ["test/support/setup.ts"],
  pool: "threads" as const,
  testTimeout: 120_000,
  hookTimeout: 120_000,
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
          exclude: ["test/clients/**", "test/real/**"],
        },
      },
    ],
  },
});
