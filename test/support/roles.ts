import { services } from "../../src/clients/services.ts";

/** What a service can be to us. */
export type Role = keyof typeof services;

export const roles: readonly Role[] = Object.values(services).map(({ role }) => role);
