import type { OperationTable } from "../core/operation.ts";
import type { Role } from "../core/resource.ts";
import type { Service } from "../core/service.ts";
import { analysisOperations } from "./analysis/operations.ts";
import { artifactsOperations } from "./artifacts/operations.ts";
import { ciOperations } from "./ci/operations.ts";
import { hostingOperations } from "./hosting/operations.ts";
import { reviewOperations } from "./review/operations.ts";
import { trackerOperations } from "./tracker/operations.ts";
import { wikiOperations } from "./wiki/operations.ts";

const tables: Readonly<Record<Role, OperationTable>> = {
  artifacts: artifactsOperations,
  hosting: hostingOperations,
  review: reviewOperations,
  ci: ciOperations,
  analysis: analysisOperations,
  tracker: trackerOperations,
  wiki: wikiOperations,
};

/** The operations of a role's client. */
export function operationsOf(role: Role): OperationTable {
  return tables[role];
}

/** The operations that may be sent to a service: under `wire: documented` those of the API documents alone. */
export function operationsFor({ role, wire }: Pick<Service, "role" | "wire">): OperationTable {
  const table = operationsOf(role);
  switch (wire) {
    case "product":
      return table;
    case "documented":
      return Object.fromEntries(Object.entries(table).filter(([, { ext }]) => ext === undefined));
  }
}
