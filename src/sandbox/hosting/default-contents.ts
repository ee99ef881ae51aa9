import { hash } from "node:crypto";
import type { z } from "zod";
import type { HostingState } from "./state.ts";

const ada = { name: "Ada Brandt", email: "ada@meridian-kites.example", login: "admin" };
const jo = { name: "Jo Doe", email: "jo@meridian-kites.example", login: "jdoe" };
const guest = { name: "Lin Tao", email: "lin@example.org" };

const sha = (name: string) => hash("sha1", name);

/** The fields that the statuses of a commit share. */
const build = {
  sha: sha("website 3"),
  context: "ci/build",
  target_url: "https://ci.example.com/job/website/12/",
  creator: "rkumar",
};

/** The repositories of the invented company, with invented commits and runs. */
export const hostingContents: z.input<typeof HostingState> = {
  repositories: [
    {
      id: 101,
      owner: "meridian-kites",
      name: "website",
      description: "What customers see.",
      created_at: "2025-03-03T08:00:00Z",
      commits: [
        {
          sha: sha("website 1"),
          message: "Start with an empty page",
          author: { ...ada, date: "2025-03-03T08:10:00Z" },
          files: [{ filename: "index.html", additions: 12 }],
        },
        {
          sha: sha("website style"),
          message: "Add a style sheet",
          author: { ...ada, date: "2025-03-04T08:00:00Z" },
          parents: [sha("website 1")],
          files: [{ filename: "style.css", additions: 40 }],
        },
        {
          sha: sha("website 2"),
          message: "List the kites\n\nThe prices follow.",
          author: { ...jo, date: "2026-01-14T09:30:00Z" },
          committer: { ...ada, date: "2026-01-15T10:00:00Z" },
          parents: [sha("website style")],
          files: [
            { filename: "index.html", additions: 4, deletions: 2 },
            { filename: "kites/list.html", additions: 88 },
          ],
        },
        {
          sha: sha("website 3"),
          message: "Correct a typing error",
          author: { ...guest, date: "2026-02-02T19:45:00Z" },
          committer: { ...ada, date: "2026-02-03T07:20:00Z" },
          parents: [sha("website 2")],
          files: [{ filename: "kites/list.html", additions: 1, deletions: 1 }],
        },
        {
          sha: sha("website 4"),
          message: "Show the prices",
          author: { ...jo, date: "2026-02-10T13:05:00Z" },
          parents: [sha("website 3")],
          files: [{ filename: "kites/prices.html", additions: 31 }],
        },
      ],
      branches: {
        main: { sha: sha("website 3"), protected: true },
        "feature/prices": { sha: sha("website 4") },
        "release-2.4": { sha: sha("website 2"), protected: true },
      },
      pulls: [
        {
          number: 7,
          title: "Correct a typing error",
          user: "jdoe",
          head: { ref: "typing-error", sha: sha("website 3") },
          base: { ref: "main", sha: sha("website 2") },
          created_at: "2026-02-02T19:50:00Z",
          merged: { at: "2026-02-03T07:20:00Z", by: "admin", sha: sha("website 3") },
        },
        {
          number: 8,
          title: "Show the prices",
          body: "Prices for all kites, without tax.",
          user: "jdoe",
          head: { ref: "feature/prices", sha: sha("website 4") },
          base: { ref: "main", sha: sha("website 3") },
          created_at: "2026-02-10T13:10:00Z",
          comments: [
            { id: 501, user: "admin", body: "With tax, please.", created_at: "2026-02-11T08:00:00Z" },
            {
              id: 502,
              user: "jdoe",
              body: "Tomorrow, then.",
              created_at: "2026-02-11T08:20:00Z",
              updated_at: "2026-02-11T08:25:00Z",
            },
          ],
        },
      ],
      issues: {
        "6": [{ id: 498, user: "rkumar", body: "Seen on small screens too.", created_at: "2026-01-20T15:00:00Z" }],
      },
      statuses: [
        {
          ...build,
          id: 3001,
          state: "pending",
          description: "Waiting for an agent",
          created_at: "2026-02-03T07:21:00Z",
        },
        { ...build, id: 3002, state: "success", description: "Built in 2 minutes", created_at: "2026-02-03T07:23:00Z" },
      ],
      workflows: [
        { id: 21, name: "Checks", path: ".github/workflows/checks.yml" },
        { id: 22, name: "Publish", path: ".github/workflows/publish.yml", inputs: ["target"] },
      ],
      runs: [
        {
          id: 9001,
          workflow: 21,
          number: 11,
          event: "push",
          branch: "main",
          sha: sha("website 3"),
          status: "completed",
          conclusion: "success",
          actor: "admin",
          created_at: "2026-02-03T07:20:30Z",
          updated_at: "2026-02-03T07:22:10Z",
          logs: { "0_checks.txt": "2026-02-03T07:20:41Z Links are whole.\n", "checks/1_Set up.txt": "Ready.\n" },
        },
        {
          id: 9002,
          workflow: 21,
          number: 12,
          event: "pull_request",
          branch: "feature/prices",
          sha: sha("website 4"),
          status: "completed",
          conclusion: "failure",
          actor: "jdoe",
          created_at: "2026-02-10T13:10:20Z",
          updated_at: "2026-02-10T13:12:00Z",
          logs: { "0_checks.txt": "2026-02-10T13:11:40Z kites/prices.html: a price is missing\n" },
        },
        {
          id: 9003,
          workflow: 22,
          number: 3,
          event: "workflow_dispatch",
          branch: "main",
          sha: sha("website 3"),
          status: "in_progress",
          actor: "admin",
          created_at: "2026-02-12T06:00:00Z",
          updated_at: "2026-02-12T06:00:10Z",
        },
      ],
      releases: [
        { id: 71, tag_name: "v2.3.0", name: "2.3", body: "The list of kites.", created_at: "2026-01-16T09:00:00Z" },
        { id: 72, tag_name: "v2.4.0-rc1", name: "2.4 rc1", prerelease: true, created_at: "2026-02-05T09:00:00Z" },
        { id: 73, tag_name: "v2.4.0", name: "2.4", draft: true, created_at: "2026-02-12T09:00:00Z" },
      ],
    },
    {
      id: 102,
      owner: "meridian-kites",
      name: "telemetry",
      created_at: "2025-06-20T12:00:00Z",
      actions: { enabled: true, allowed_actions: "local_only" },
      commits: [
        {
          sha: sha("telemetry 1"),
          message: "Read the altimeter",
          author: { ...jo, date: "2025-06-20T12:30:00Z" },
          files: [{ filename: "src/altimeter.c", additions: 140 }],
        },
      ],
      branches: { main: { sha: sha("telemetry 1") } },
    },
    { id: 103, owner: "meridian-kites", name: "firmware-mirror", private: true, actions: { enabled: false } },
    { id: 104, owner: "meridian-kites", name: "handbook", private: true },
  ],
};
