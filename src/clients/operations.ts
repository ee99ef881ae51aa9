import type { OperationTable } from "../core/operation.ts";
import type { Role } from "../core/resource.ts";
import type { Service } from "../core/workspace.ts";
import { analysisOperations } from "./analysis.ts";
import { artifactsOperations } from "./artifacts.ts";
import { ciOperations } from "./ci.ts";
import { hostingOperations } from "./hosting.ts";
import { reviewOperations } from "./review.ts";
import { trackerOperations } from "./tracker.ts";
import { wikiOperations } from "./wiki.ts";

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
