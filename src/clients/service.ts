import type { CallOf } from "../core/call.ts";
import type { LiveListOf } from "../core/live-list.ts";
import type { ArgsOf, NamesOf, OperationTable, Reader } from "../core/operation.ts";
import type { Service, ServiceType } from "../core/service.ts";
import type { JsonObject } from "../core/text/json.ts";
import type { Trigger } from "../core/trigger.ts";
import type { RoleChecks, Supported } from "./check.ts";
import type { CredentialForms } from "./credentials/credentials.ts";
import type { Clock } from "./http/clock.ts";
import type { Protocol } from "./http/protocol.ts";

/** Sends an operation, one of these names, and decodes its answer. */
export type SendCall<Name extends string = string> = (operation: Name, args: JsonObject) => Promise<unknown>;

/** Sends one read and decodes its answer. */
export type ReadCall = (args: JsonObject) => Promise<unknown>;

/** A call that does not end with its first answer: its effect is complete when the promise resolves. */
export type AwaitedCall = (
  send: SendCall,
  call: { readonly wire: Service["wire"]; readonly operation: string; readonly args: JsonObject },
  clock: Clock,
  signal?: AbortSignal,
) => Promise<unknown>;

/**
 * Everything about a service that other code needs. Central code names no service: it knows only the list of these
 * descriptors.
 */
export interface ServiceDescriptor<Role extends string = string, Table extends OperationTable = OperationTable>
  extends ServiceType {
  readonly role: Role;
  readonly credentials: CredentialForms;
  /** The address at which the product's maker hosts it. */
  readonly hosted?: string;
  readonly protocol: Protocol;
  readonly operations: Table;
  /** The questions of `doctor`. */
  readonly checks: RoleChecks;
  /** A cheap read without arguments that every account may make and only the service itself answers, for each wire. */
  readonly proof: Readonly<Record<Service["wire"], string>>;
  /**
   * Whether the result of `proof` is that of a signed-in account, for a service that also answers others: to them, objects that
   * only the account may see are missing.
   */
  isSignedIn?(proof: unknown): boolean;
  /** The versions that setpoint works with, if they are known. */
  readonly versions?: Supported;
  /** Reads that are better made together, under `wire: product`. They replace the rows with these names. */
  joinReads?(send: SendCall): Readonly<Partial<Record<string, ReadCall>>>;
  /** Operations that an apply follows beyond their first answer, by name. */
  readonly awaited?: Readonly<Partial<Record<string, AwaitedCall>>>;
}

/** The parts of a descriptor that name rows of its own table. */
interface NamingRows<Table extends OperationTable> {
  readonly checks: RoleChecks<Reader<Table>>;
  readonly liveLists?: readonly LiveListOf<Table>[];
  readonly triggers?: Readonly<Record<string, Trigger<unknown, CallOf<Table>>>>;
  readonly awaited?: { readonly [Name in NamesOf<Table, "write">]?: AwaitedCall };
  readonly proof: Readonly<Record<Service["wire"], ReadsWithoutArguments<Table>>>;
  joinReads?(send: SendCall<NamesOf<Table, "read">>): { readonly [Name in NamesOf<Table, "read">]?: ReadCall };
}

type ReadsWithoutArguments<Table extends OperationTable> = {
  [Name in NamesOf<Table, "read">]: Readonly<Record<never, never>> extends ArgsOf<Table, Name> ? Name : never;
}[NamesOf<Table, "read">];

/** Makes the compiler check that whatever a descriptor names are rows, and arguments, of its own table. */
export function describeService<const Role extends string, Table extends OperationTable>(
  descriptor: Omit<ServiceDescriptor<Role, Table>, keyof NamingRows<Table>> & NamingRows<Table>,
): ServiceDescriptor<Role, Table> {
  return descriptor;
}
