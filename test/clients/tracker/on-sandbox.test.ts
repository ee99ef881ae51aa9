import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { trackerOperations } from "../../../src/clients/tracker/operations.ts";
import { type Case, callOnSandbox, tokenCases } from "../on-sandbox.ts";

const cases: Readonly<Record<keyof typeof trackerOperations, Case>> = {
  getMyself: {
    args: {},
    result: {
      name: "admin",
      key: "JIRAUSER10100",
      displayName: "Ada Brandt",
      emailAddress: "admin@example.com",
      active: true,
      timeZone: "Etc/UTC",
      locale: "en_US",
    },
  },
  getUser: {
    args: { key: "JIRAUSER10102" },
    result: expect.objectContaining({ name: "jdoe", timeZone: "Europe/Oslo" }),
  },
  getPreference: {
    before: ({ change }) =>
      change(({ tracker }) => {
        tracker.preferences.admin = { "jira.user.timezone": "Etc/GMT+1" };
      }),
    args: { key: "jira.user.timezone" },
    result: "Etc/GMT+1",
  },
  setPreference: {
    args: { key: "jira.user.timezone", value: "Asia/Kolkata" },
    result: undefined,
    after: ({ state }, _folder, wire) =>
      expect(state().tracker.preferences.admin).toEqual({
        "jira.user.timezone": wire === "product" ? "Asia/Kolkata" : '"Asia/Kolkata"',
      }),
  },
  getLocale: { args: {}, result: { locale: "en_US" } },
  setLocale: {
    args: { locale: "nb_NO" },
    result: undefined,
    after: ({ state }) => expect(state().tracker.preferences.admin).toEqual({ "jira.user.locale": "nb_NO" }),
  },
  getIssue: {
    args: { issueKey: "FW-12", fields: ["summary", "attachment"] },
    result: {
      id: "10000",
      key: "FW-12",
      fields: {
        summary: "Bootloader resets on cold start",
        attachment: [
          {
            id: "20001",
            filename: "boot log.txt",
            size: 22,
            mimeType: "text/plain",
            content: expect.stringMatching(/\/secure\/attachment\/20001\/boot%20log\.txt$/),
          },
          expect.objectContaining({ id: "20002" }),
        ],
      },
    },
  },
  getServerInfo: {
    args: {},
    result: {
      baseUrl: expect.stringMatching(/\/tracker$/),
      version: "9.12.15",
      versionNumbers: [9, 12, 15],
      deploymentType: "Server",
      serverTitle: "Issues",
    },
  },
  listProjects: {
    args: {},
    result: [
      { key: "FW", name: "Firmware" },
      { key: "REL", name: "Releases" },
    ],
  },
  searchIssues: {
    args: { jql: "project in (FW, REL) ORDER BY key", maxResults: 2, fields: ["summary"] },
    result: {
      startAt: 0,
      maxResults: 2,
      total: 3,
      issues: [
        { id: "10000", key: "FW-12", fields: { summary: "Bootloader resets on cold start" } },
        { id: "10001", key: "FW-13", fields: { summary: "Read the gyroscope at 1 kHz" } },
        { id: "10002", key: "REL-4", fields: { summary: "Ship 2.4" } },
      ],
    },
    after: (sandbox) => expect(sandbox.requests()).toHaveLength(2),
  },
  downloadAttachment: {
    args: ({ services }, folder) => ({
      attachmentUrl: `${services.tracker.url}/secure/attachment/20001/boot%20log.txt`,
      to: join(folder, "boot.log"),
    }),
    result: { path: expect.stringMatching(/boot\.log$/), bytes: 22 },
    after: (_sandbox, folder) => expect(readFileSync(join(folder, "boot.log"), "utf8")).toBe("reset cause: watchdog\n"),
  },
  ...tokenCases("tracker", "JIRAUSER10102"),
};

describe.each(["product", "documented"] as const)("wire: %s", (wire) => {
  const rows = Object.entries(trackerOperations).filter(([, row]) => wire === "product" || !("ext" in row && row.ext));
  test.each(rows.map(([name]) => name))("%s is answered by the sandbox and decoded", async (name) => {
    const found = Object.entries(cases).find(([known]) => known === name)?.[1];
    if (found === undefined) throw new Error(`no case for ${name}`);
    await callOnSandbox("tracker", wire, name, found);
  });
});
