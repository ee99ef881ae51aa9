import { defineConfig } from "vitest/config";
import { runnableVersions } from "./test/real/support/releases.ts";

const clients = "test/real/clients/**/*.test.ts";
const queue = "test/real/queue/**/*.test.ts";
const installed = "test/real/package/**/*.test.ts";

/** No machine is too slow for a test. */
const patience = { testTimeout: 1_200_000, hookTimeout: 1_200_000 };

/** Tests with real servers of several versions, of which each file starts one of its own, and with other programs. */
export default defineConfig({
  test: {
    // A server and what talks to it keep a core busy.
    maxWorkers: 2,
    projects: [
      // A browser is no server either, and looks at the page of a report.
      { test: { name: "page", include: ["test/page/browser/**/*.test.ts"], ...patience } },
      // A real Redis, with workers as processes.
      { test: { name: "queue", include: [queue], ...patience } },
      // Published clients need no server.
      { test: { name: "clients", include: [clients], ...patience } },
      // The package, made and installed by npm.
      { test: { name: "package", include: [installed], ...patience } },
      ...runnableVersions().map((version, index) => ({
        test: {
          name: version,
          include: ["test/real/**/*.test.ts"],
          // The sandbox stands in for the oldest version: later ones answer broken requests and submit records otherwise.
          // The CI server has one version.
          exclude: [
            clients,
            queue,
            installed,
            ...(index === 0 ? [] : ["test/real/differential*.test.ts", "test/real/ci-server.test.ts"]),
          ],
          env: { SETPOINT_GERRIT: version },
          ...patience,
        },
      })),
    ],
  },
});
