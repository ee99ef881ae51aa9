import { services } from "../../src/clients/services.ts";

/** A role that a service can have. */
export type Role = keyof typeof services;

export const roles: readonly Role[] = Object.values(services).map(({ role }) => role);
