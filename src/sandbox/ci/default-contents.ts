import type { z } from "zod";
import type { CiState } from "./state.ts";

/** The CI server of the invented company. */
export const ciContents: z.input<typeof CiState> = {
  startProperties: {
    "hudson.model.DirectoryBrowserSupport.CSP": "sandbox; default-src 'none'",
    "java.specification.version": "17",
    "user.timezone": "Europe/Berlin",
  },
  plugins: [
    { shortName: "git", longName: "Git plugin", version: "5.6.0" },
    { shortName: "matrix-auth", longName: "Matrix Authorization Strategy Plugin", version: "3.2.3" },
    { shortName: "workflow-aggregator", longName: "Pipeline", version: "600.vb_57cdd26fdd7" },
  ],
  jobs: {
    "firmware/bootloader": {
      parameters: [
        { name: "BRANCH", default: "main" },
        { name: "TARGETS", default: "arm" },
        { name: "CLEAN", default: false },
        { name: "CHANNEL", default: "nightly", choices: ["nightly", "beta", "stable"] },
      ],
      config:
        "<?xml version='1.1' encoding='UTF-8'?>\n<flow-definition plugin=\"workflow-job\">\n  <description>Builds the bootloader.</description>\n  <disabled>false</disabled>\n</flow-definition>",
      builds: [
        {
          number: 41,
          result: "SUCCESS",
          timestamp: 1767600000000,
          duration: 184200,
          queueId: 7,
          builtOn: "agent-1",
          parameters: { BRANCH: "main", TARGETS: "arm,riscv", CLEAN: true, CHANNEL: "beta" },
        },
        { number: 42, timestamp: 1767686400000, queueId: 9, builtOn: "agent-2", parameters: { BRANCH: "main" } },
      ],
    },
    "nightly-checks": {
      type: "freestyle",
      config:
        "<?xml version='1.1' encoding='UTF-8'?>\n<project>\n  <description>Runs the long checks.</description>\n  <disabled>false</disabled>\n</project>",
      builds: [{ number: 1, result: "FAILURE", timestamp: 1767571200000, duration: 5400000, queueId: 3 }],
    },
  },
  nextQueueId: 10,
  updates: { plugins: { git: "5.7.0", "matrix-auth": "3.2.3", prometheus: "795.v995762102f28" } },
};
