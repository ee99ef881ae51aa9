import { analysisContents } from "./analysis/default-contents.ts";
import { artifactsContents } from "./artifacts/default-contents.ts";
import { hostingContents } from "./hosting/default-contents.ts";
import { reviewContents } from "./review/default-contents.ts";
import { World } from "./world.ts";

/** The tools of an invented company, Meridian Kites: what the tour and most tests start from. A new copy each time. */
export function defaultWorld(): World {
  return World.parse({
    accounts: [
      { username: "admin", name: "Ada Brandt", secret: "secret", rights: "admin" },
      { username: "auditor", name: "Omar Reyes", secret: "auditor-secret", rights: "reader" },
      { username: "jdoe", name: "Jo Doe", secret: "jdoe-secret", rights: "member" },
      { username: "rkumar", name: "Ravi Kumar", secret: "rkumar-secret", rights: "admin" },
    ],
    artifacts: artifactsContents(),
    review: reviewContents,
    hosting: hostingContents,
    analysis: analysisContents,
    tracker: {
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
    },
    ci: {
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
      updates: {
        plugins: { git: "5.7.0", "matrix-auth": "3.2.3", prometheus: "795.v995762102f28" },
      },
    },
    wiki: {
      tokenPlugin: {
        tokens: [
          {
            id: 1,
            user: "jdoe",
            description: "release calendar",
            created: 1_769_904_000_000,
            validUntil: 1_798_761_600_000,
            scope: 2,
            secret: "wiki-token-of-jdoe",
          },
        ],
      },
      pages: {
        "48100": {
          space: "ENG",
          title: "Engineering",
          body: "<p>How we work.</p>",
          versions: [{ number: 1, by: "admin" }],
        },
        "48213": {
          space: "ENG",
          title: "Release calendar",
          body: "<p>Dates of the next releases.</p><table><tbody><tr><th>Release</th><th>Date</th></tr><tr><td>2.4 GA</td><td>1 March</td></tr><tr><td>2.5 beta</td><td>12 April</td></tr></tbody></table>",
          ancestors: ["48100"],
          versions: [
            { number: 1, by: "admin", message: "First dates" },
            { number: 2, by: "jdoe", message: "2.5 beta", minorEdit: true },
          ],
        },
        "48377": {
          space: "ENG",
          title: "How to release",
          body: '<p>Look at the <ac:link><ri:page ri:content-title="Release calendar" ri:version-at-save="2" /></ac:link> first, then:</p><ac:structured-macro ac:name="code" ac:schema-version="1" ac:macro-id="0d4c1f0e-7f0b-4b7e-9d51-2f3a6b8c9e10"><ac:parameter ac:name="language">bash</ac:parameter><ac:plain-text-body><![CDATA[git tag -s v2.4.0\ngit push origin v2.4.0]]></ac:plain-text-body></ac:structured-macro>',
          ancestors: ["48100"],
          versions: [{ number: 1, by: "jdoe" }],
        },
      },
    },
  });
}
