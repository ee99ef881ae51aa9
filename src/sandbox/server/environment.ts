import type { Account } from "../accounts.ts";
import { standIns } from "../services.ts";

/** The administrator of the invented company. */
export const administrator: Pick<Account, "username" | "secret"> = { username: "admin", secret: "secret" };

/**
 * The environment in which commands have the credentials of an account for every service of the sandbox at `url`; the
 * account is the administrator of the invented company unless given.
 */
export function environmentFor(
  url: string,
  { username, secret }: Pick<Account, "username" | "secret"> = administrator,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(standIns).flatMap(([role, { signIn }]) => [
      [`SETPOINT_${role.toUpperCase()}_URL`, url],
      [`SETPOINT_${role.toUpperCase()}_USERNAME`, username],
      [`SETPOINT_${role.toUpperCase()}_${signIn.toUpperCase()}`, secret],
    ]),
  );
}

/** The same for every service at once, whatever a workspace calls it: the text of a netrc file. */
export function netrcFor(url: string, { username, secret }: Pick<Account, "username" | "secret">): string {
  return `machine ${new URL(url).host} login ${username} password ${secret}\n`;
}

/** Roots of a service other than its own URL, by their name in a workspace. */
export function rootsOf(role: keyof typeof standIns, url: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(standIns[role].urls).map(([name, path]) => [name, `${url}/${role}${path}`]));
}
