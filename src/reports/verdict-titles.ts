import type { PageData } from "./html/page-data.ts";

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
