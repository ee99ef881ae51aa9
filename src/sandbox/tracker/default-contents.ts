import type { z } from "zod";
import type { TrackerState } from "./state.ts";

/** The issue tracker of the invented company. */
export const trackerContents: z.input<typeof TrackerState> = {
  projects: [
    { key: "FW", name: "Firmware" },
    { key: "REL", name: "Releases" },
  ],
  issues: [
    {
      key: "FW-12",
      summary: "Bootloader resets on cold start",
      issuetype: "Bug",
      status: "In Progress",
      created: "2026-02-03T09:12:00.000Z",
      updated: "2026-02-11T16:40:00.000Z",
      attachments: [
        { id: "20001", filename: "boot log.txt", content: "reset cause: watchdog\n" },
        { id: "20002", filename: "trace.csv", mimeType: "text/csv", content: "ms,volt\n0,3.1\n12,2.6\n" },
      ],
    },
    {
      key: "FW-13",
      summary: "Read the gyroscope at 1 kHz",
      created: "2026-02-09T08:00:00.000Z",
      updated: "2026-02-09T08:00:00.000Z",
    },
    {
      key: "REL-4",
      summary: "Ship 2.4",
      issuetype: "Epic",
      created: "2026-01-12T10:30:00.000Z",
      updated: "2026-02-20T07:55:00.000Z",
    },
  ],
  preferences: { jdoe: { "jira.user.timezone": "Europe/Oslo" } },
  tokenPlugin: {
    tokens: [
      {
        id: 1,
        user: "admin",
        description: "nightly drift",
        created: 1_767_225_600_000,
        lastAccessed: 1_770_163_200_000,
        validUntil: 1_798_761_600_000,
        scope: 1,
        secret: "tracker-token-of-admin",
      },
      {
        id: 2,
        user: "jdoe",
        description: "release notes",
        created: 1_769_904_000_000,
        validUntil: 1_785_542_400_000,
        scope: 2,
        secret: "tracker-token-of-jdoe",
      },
    ],
  },
};
