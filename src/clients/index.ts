import { once } from "../core/once.ts";
import type { Client, Effect, Reader } from "../core/operation.ts";
import type { Service, ServiceLimits } from "../core/service.ts";
import type { JsonObject } from "../core/text/json.ts";
import { type Connection, type ConnectOptions, openConnection } from "./connect.ts";
import { operationsOf } from "./find-service.ts";
import type { services } from "./services.ts";

/*
 * The package's entry `setpoint/clients`: the services' clients, with their retries, paging, limits and
 * decoding, for programs of your own.
 */

export { type Problem, ProblemError } from "../core/problem.ts";
export { Secret } from "../core/secret.ts";
export { type Credentials, secretResolver } from "./credentials/credentials.ts";
export { credentialsFor } from "./credentials/credentials-for.ts";
export type { Connection, ConnectOptions, Effect, Service, ServiceLimits };

/** The role of a service: the name of its folder. */
export type Role = keyof typeof services;

/** A service's settings. By default the name is the role, the wire is the product's, and the limits are the usual ones. */
export interface ServiceSettings<R extends Role = Role> extends Partial<Omit<Service, "role" | "limits">> {
  readonly role: R;
  /** Root URL without a trailing slash. */
  readonly url: string;
  readonly limits?: Partial<ServiceLimits>;
}

/** A client with a method for each operation; in mode `read`, only for reads. */
export interface Connected<R extends Role, M extends Effect> extends Pick<Connection, "requests" | "close"> {
  readonly client: M extends "write"
    ? Client<(typeof services)[R]["operations"]>
    : Reader<(typeof services)[R]["operations"]>;
}

/** A service with the defaults filled in. Throws `RangeError` for a limit that is not above 0. */
export function serviceOf({ role, name = role, type = role, wire = "product", ...others }: ServiceSettings): Service {
  const { concurrency = 4, timeout = 10_000, attempts = 4, requestsPerSecond } = others.limits ?? {};
  const limits = { concurrency, timeout, attempts, requestsPerSecond };
  for (const [limit, value = 1] of Object.entries(limits))
    if (!(value > 0)) throw new RangeError(`limits.${limit} is ${value}, not above 0.`);
  return { ...others, role, name, type, wire, limits };
}

/**
 * Connects to a service. Nothing is sent yet. Close the connection when nothing more is to be sent.
 *
 * Methods of the client throw `ProblemError`: see `Connection.call`.
 */
export function connect<R extends Role, M extends Effect>(
  service: ServiceSettings<R>,
  options: ConnectOptions & { readonly mode: M },
): Connected<R, M>;
export function connect(service: ServiceSettings, options: ConnectOptions): object {
  const connection = openConnection(serviceOf(service), options);
  const methods = Object.entries(operationsOf(service.role))
    .filter(([, { effect }]) => options.mode === "write" || effect === "read")
    .map(([name]) => [name, (args: JsonObject) => connection.call(name, args)] as const);
  return {
    client: Object.fromEntries(methods),
    requests: connection.requests,
    close: once(() => connection.close()),
  };
}
