import type { Service } from "../../core/service.ts";

/** The name of a variable of a service: `SETPOINT_<SERVICE>_<NAME>`. */
export function variableOf({ name: service }: Pick<Service, "name">, name: string): string {
  return `SETPOINT_${service.toUpperCase().replaceAll("-", "_")}_${name}`;
}
