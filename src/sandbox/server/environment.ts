import type { Account } from "../accounts.ts";
import { standIns } from "../services.ts";

/**
 * The environment in which commands have the credentials of an account for every service of the sandbox at `url`; the
 * account is the administrator of the invented company unless given.
 */
export function environmentFor(
  url: string,
  { username, secret }: Pick<Account, "username" | "secret"> = { username: "admin", secret: "secret" },
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(standIns).flatMap(([role, { signIn }]) => [
      [`SETPOINT_${role.toUpperCase()}_URL`, url],
      [`SETPOINT_${role.toUpperCase()}_USERNAME`, username],
      [`SETPOINT_${role.toUpperCase()}_${signIn.toUpperCase()}`, secret],
    ]),
  );
}

/** Roots of a service other than its own URL, by their name in a workspace. */
export function rootsOf(role: keyof typeof standIns, url: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(standIns[role].urls).map(([name, path]) => [name, `${url}/${role}${path}`]));
}
