import type { OperationTable } from "../core/operation.ts";
import type { RoleName } from "../core/resource.ts";
import type { ServiceDescriptor } from "./service.ts";
import { services } from "./services.ts";

/** Every service, in the order of their roles. */
export const allServices: readonly ServiceDescriptor[] = Object.values(services);

const byRole: ReadonlyMap<RoleName, ServiceDescriptor> = new Map(allServices.map((one) => [one.role, one]));

/** Returns the descriptor of a role's services. Throws for a role that no service has, which a workspace never names. */
export function serviceOfRole(role: RoleName): ServiceDescriptor {
  const service = byRole.get(role);
  if (service === undefined) throw new Error(`No service has the role ${role}.`);
  return service;
}

/** The operations of a role's client. */
export function operationsOf(role: RoleName): OperationTable {
  return serviceOfRole(role).operations;
}
