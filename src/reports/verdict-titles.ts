import type { PageData } from "./html/page-data.ts";

/** The titles of changes with each result of an apply, the gravest first. */
export const resultTitles = {
  failed: "Failed",
  stale: "Not applied: changed by someone else meanwhile",
  "unknown result": "Not known whether it was applied",
  skipped: "Skipped",
  applied: "Applied",
} as const;

/** The titles of resources with each verdict that is not "in sync". Without a base, nobody knows which side changed. */
export function verdictTitles({ command, hasBase }: Pick<PageData, "command" | "hasBase">) {
  const told = (drift: string, withBase: string, without: string) =>
    command === "drift" ? drift : hasBase ? withBase : without;
  return {
    conflict: "Conflicts: both sides changed",
    drift: told("What happened to the services", "What had drifted before", "What drifted"),
    pending: told("Only the manifests changed: not applied yet", "What this change does", "What an apply would do"),
    unknown: "Unknown: could not be read",
  };
}
