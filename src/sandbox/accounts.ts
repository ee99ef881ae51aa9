import { z } from "zod";
import { Refusal } from "./refusal.ts";

/** Someone who can sign in to every service, with one secret that is password, token and login token alike. */
export const Account = z.strictObject({
  username: z.string().min(1),
  name: z.string(),
  secret: z.string().min(1),
  /** What it may do: everything; read everything but change nothing; read only what every signed-in user can see. */
  rights: z.enum(["admin", "reader", "member"]),
});
export type Account = z.infer<typeof Account>;

/** Whether an account may change everything. */
export function isAdmin(account: Account | undefined): boolean {
  return account?.rights === "admin";
}

/** Whether an account may read everything. */
export function readsAll(account: Account | undefined): boolean {
  return account !== undefined && account.rights !== "member";
}

/** Returns the account of a request that requires one. Throws `Refusal` 401 if there is none. */
export function known(account: Account | undefined, said?: string): Account {
  if (account === undefined) throw new Refusal(401, said);
  return account;
}

/** Returns the account behind an `Authorization` header; undefined for wrong credentials or a scheme not in `schemes`. */
export function authorized(
  accounts: readonly Account[],
  header: string | undefined,
  schemes: readonly ("basic" | "bearer" | "token")[],
): Account | undefined {
  const [scheme = "", credentials = ""] = (header ?? "").split(/ +/, 2);
  const known = schemes.find((name) => name === scheme.toLowerCase());
  if (known === undefined) return undefined;
  if (known !== "basic") return accounts.find((account) => account.secret === credentials);
  const pair = Buffer.from(credentials, "base64").toString("utf8");
  return accounts.find((account) => `${account.username}:${account.secret}` === pair);
}
