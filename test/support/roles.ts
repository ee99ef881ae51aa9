import { services } from "../../src/clients/services.ts";
import { standIns } from "../../src/sandbox/services.ts";

/** A role that a service can have. */
export type Role = keyof typeof services;

export const roles: readonly Role[] = Object.values(services).map(({ role }) => role);

/** Returns the roots of a service of the sandbox at `url` other than its own URL, by their name in a workspace. */
export function rootsOf(role: Role, url: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(standIns[role].urls).map(([name, path]) => [name, `${url}/${role}${path}`]));
}
