import type { JsonObject } from "../../core/text/json.ts";
import type { Account } from "../accounts.ts";

/** Returns an account with its names, or only its number. Numbers follow the order of the world's accounts. */
export function viewAccount(accounts: readonly Account[], username: string, detailed: boolean): JsonObject {
  const index = accounts.findIndex((account) => account.username === username);
  const _account_id = 1_000_000 + index;
  if (!detailed) return { _account_id };
  return { _account_id, name: accounts[index]?.name, email: `${username}@example.com`, username };
}

/** Formats a time as the service does: `2026-11-02T09:30:00Z` becomes `2026-11-02 09:30:00.000000000`. */
export function viewTime(iso: string): string {
  return `${iso.slice(0, 19).replace("T", " ")}.000000000`;
}
