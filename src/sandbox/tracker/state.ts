import { z } from "zod";
import { TokenPlugin } from "../tokens/state.ts";

const Attachment = z.strictObject({
  id: z.string().regex(/^\d+$/),
  filename: z.string().min(1),
  mimeType: z.string().default("text/plain"),
  /** Name of the account. */
  author: z.string().default("admin"),
  /** ISO 8601; the time of the issue's creation by default. */
  created: z.iso.datetime({ offset: true }).optional(),
  /** The content as text. */
  content: z.string().default(""),
});

const Issue = z.strictObject({
  key: z.string().regex(/^[A-Z][A-Z0-9_]*-[1-9]\d*$/),
  summary: z.string(),
  status: z.string().default("Open"),
  issuetype: z.string().default("Task"),
  /** ISO 8601. */
  created: z.iso.datetime({ offset: true }),
  updated: z.iso.datetime({ offset: true }),
  attachments: z.array(Attachment).default([]),
});
export type Issue = z.infer<typeof Issue>;

/** The issue tracker: its projects and issues, its users' preferences, and its API tokens. */
export const TrackerState = z
  .strictObject({
    version: z.string().default("9.12.15"),
    projects: z.array(z.strictObject({ key: z.string(), name: z.string() })).default([]),
    issues: z.array(Issue).default([]),
    /** Values by key, for each account name. */
    preferences: z.record(z.string(), z.record(z.string(), z.string())).default({}),
    /** Names of accounts that must solve a CAPTCHA before they can sign in. */
    captcha: z.array(z.string()).default([]),
    /** The most issues on one page of a search. */
    largestPage: z.int().min(1).default(1000),
    tokenPlugin: TokenPlugin.prefault({}),
  })
  .superRefine(({ projects, issues }, context) => {
    for (const [index, issue] of issues.entries()) {
      if (!projects.some(({ key }) => key === projectOf(issue)))
        context.addIssue({ code: "custom", path: ["issues", index, "key"], message: "names no project" });
      if (issues.some((other, at) => at < index && other.key === issue.key))
        context.addIssue({ code: "custom", path: ["issues", index, "key"], message: "is a duplicate key" });
    }
  })
  .prefault({});
export type TrackerState = z.infer<typeof TrackerState>;

/** Returns the key of the project that an issue belongs to. */
export function projectOf({ key }: Pick<Issue, "key">): string {
  return key.slice(0, key.lastIndexOf("-"));
}
