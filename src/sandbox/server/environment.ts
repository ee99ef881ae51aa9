import { variableOf } from "../../core/service.ts";
import type { Account } from "../accounts.ts";
import { standIns } from "../services.ts";

/** The administrator of the invented company. */
export const administrator: Pick<Account, "username" | "secret"> = { username: "admin", secret: "secret" };

/**
 * Returns environment variables that give commands an account's credentials for every service of the sandbox at `url`.
 * The default account is the administrator of the invented company.
 */
export function environmentFor(url: string, { username, secret } = administrator) {
  return Object.fromEntries(
    Object.entries(standIns).flatMap(([role, { signIn }]) => [
      [variableOf({ name: role }, "URL"), url],
      [variableOf({ name: role }, "USERNAME"), username],
      [variableOf({ name: role }, signIn.toUpperCase()), secret],
    ]),
  );
}

/** Returns a netrc file with the account's credentials for all services, whatever a workspace calls them. */
export function netrcFor(url: string, { username, secret }: Pick<Account, "username" | "secret">): string {
  return `machine ${new URL(url).host} login ${username} password ${secret}\n`;
}
